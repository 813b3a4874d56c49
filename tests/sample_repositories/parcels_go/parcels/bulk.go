// Package parcels moves parcels.
package parcels

// Depot holds the state of each parcel, by its number.
type Depot map[int]string

// ProcessAll carries one action out on many parcels, and says what became of each.
func ProcessAll(depot Depot, numbers []int, state string) map[int]string {
	done := make(map[int]string, len(numbers))
	for _, number := range numbers {
		done[number] = processParcel(depot, number, state)
	}
	return done
}

func processParcel(depot Depot, number int, state string) string {
	if _, known := depot[number]; !known {
		return "unknown"
	}
	depot[number] = state
	return state
}
