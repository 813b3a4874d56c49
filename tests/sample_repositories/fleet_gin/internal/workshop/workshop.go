// Package workshop books repairs and says what is due.
package workshop

import (
	"fmt"
	"time"

	"example.com/fleet/internal/config"
	"example.com/fleet/internal/model"
	"example.com/fleet/internal/store"
)

// Book sends a vehicle to a garage.
func Book(s *store.Store, vehicle *model.Vehicle, garage, problem string) *model.Repair {
	return s.AddRepair(&model.Repair{VehicleID: vehicle.ID, Garage: garage, Problem: problem})
}

// Finish closes a repair with what it cost.
func Finish(repair *model.Repair, cents int) {
	now := time.Now()
	repair.DoneAt = &now
	repair.Cents = cents
}

// KmToService is how far a vehicle may still go; less than nothing when it is late.
func KmToService(vehicle *model.Vehicle) int {
	return config.ServiceEveryKm - vehicle.Odometer%config.ServiceEveryKm
}

// Summary is one line about a repair.
func Summary(repair *model.Repair) string {
	return fmt.Sprintf("%s: %s", repair.Garage, repair.Problem)
}
