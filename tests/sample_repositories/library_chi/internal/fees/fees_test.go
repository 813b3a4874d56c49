package fees

import (
	"testing"
	"time"
)

func TestABookInTimeCostsNothing(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if fee := ForDelay(day, day); fee != 0 {
		t.Fatalf("fee = %d", fee)
	}
}

func TestEachLateDayCostsTwentyCents(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if fee := ForDelay(day, day.AddDate(0, 0, 3)); fee != 60 {
		t.Fatalf("fee = %d", fee)
	}
}
