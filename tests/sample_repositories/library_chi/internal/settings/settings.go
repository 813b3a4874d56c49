// Package settings holds what a library may set.
package settings

import "os"

const (
	// LoanDays is how long a book may be kept.
	LoanDays = 28
	// MaxRenewals is how often a loan may be made longer.
	MaxRenewals = 2
	// MaxLoans is how many books a reader may have at once.
	MaxLoans = 10
	// MaxHolds is how many books a reader may wait for at once.
	MaxHolds = 10
	// DailyFeeCents is what a late book costs a day.
	DailyFeeCents = 20
)

// Address is where the server listens.
func Address() string {
	if address := os.Getenv("LIBRARY_ADDRESS"); address != "" {
		return address
	}
	return ":8090"
}
