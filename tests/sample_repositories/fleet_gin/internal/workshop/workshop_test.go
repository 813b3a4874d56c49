package workshop

import (
	"testing"

	"example.com/fleet/internal/model"
)

func TestServiceIsDueEveryTwentyThousandKilometres(t *testing.T) {
	vehicle := &model.Vehicle{Odometer: 39000}
	if left := KmToService(vehicle); left != 1000 {
		t.Fatalf("left = %d", left)
	}
}

func TestFinishKeepsWhatTheRepairCost(t *testing.T) {
	repair := &model.Repair{}
	Finish(repair, 4200)
	if repair.Cents != 4200 || repair.DoneAt == nil {
		t.Fatalf("repair = %+v", repair)
	}
}
