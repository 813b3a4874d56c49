// Package labels prints what is glued onto a parcel.
package labels

import (
	"fmt"
	"strings"

	"example.com/parcels/storage"
)

// Sheet is how many labels fit on a page.
const Sheet = 8

// Render writes the label of one parcel.
func Render(parcel *storage.Parcel) string {
	lines := []string{parcel.Code, parcel.To.Name, parcel.To.Street, parcel.To.Postcode + " " + parcel.To.Country}
	if parcel.Fragile {
		lines = append(lines, "FRAGILE")
	}
	return strings.Join(lines, "\n")
}

// Pages says how many pages the labels of n parcels need.
func Pages(n int) string {
	return fmt.Sprintf("%d pages", (n+Sheet-1)/Sheet)
}
