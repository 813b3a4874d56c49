// Package pricing says what a parcel costs a shop.
package pricing

import "example.com/parcels/storage"

const (
	baseCents     = 390
	perKiloCents  = 60
	fragileCents  = 250
	abroadPercent = 180
	homeCountry   = "NL"
)

// Quote is the price in cents.
func Quote(parcel *storage.Parcel) int {
	cents := baseCents + parcel.Grams/1000*perKiloCents
	if parcel.Fragile {
		cents += fragileCents
	}
	if parcel.To.Country != homeCountry {
		cents = cents * abroadPercent / 100
	}
	return cents
}

// Render writes a price for people.
func Render(cents int) string {
	whole, rest := cents/100, cents%100
	return string(rune('0'+whole/10)) + string(rune('0'+whole%10)) + "." + string(rune('0'+rest/10)) + string(rune('0'+rest%10))
}
