// Package fees computes what readers owe.
package fees

import (
	"time"

	"example.com/library/internal/settings"
)

// ForDelay is the fee in cents for a book that comes back late.
func ForDelay(due, returned time.Time) int {
	days := int(returned.Sub(due).Hours() / 24)
	if days <= 0 {
		return 0
	}
	return days * settings.DailyFeeCents
}
