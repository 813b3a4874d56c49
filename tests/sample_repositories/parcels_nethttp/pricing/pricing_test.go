package pricing

import (
	"testing"

	"example.com/parcels/storage"
)

func TestAFragileParcelCostsMore(t *testing.T) {
	parcel := &storage.Parcel{Grams: 900, Fragile: true, To: storage.Address{Country: "NL"}}
	if cents := Quote(parcel); cents != 640 {
		t.Fatalf("cents = %d", cents)
	}
}

func TestAbroadCostsMore(t *testing.T) {
	parcel := &storage.Parcel{Grams: 900, To: storage.Address{Country: "BE"}}
	if cents := Quote(parcel); cents != 702 {
		t.Fatalf("cents = %d", cents)
	}
}
