// Package conf reads the environment.
package conf

import (
	"os"
	"time"
)

const (
	// CourierTokenTTL is how long a courier stays signed in.
	CourierTokenTTL = 12 * time.Hour
	// ShopTokenTTL is how long a key of a shop is good for.
	ShopTokenTTL = 12 * time.Hour
	// MaxAttempts is how often a courier rings before a parcel goes back.
	MaxAttempts = 3
	// StorageDays is how long a depot keeps a parcel that nobody wants.
	StorageDays = 10
	// MaxGrams is the heaviest parcel we take.
	MaxGrams = 31500
)

// Listen is the address of the server.
func Listen() string {
	if address := os.Getenv("PARCELS_LISTEN"); address != "" {
		return address
	}
	return ":8070"
}
