package parcels

import "iter"

var states = map[string]string{"dispatch": "on its way", "return": "returned"}

// BulkRequest is one action on many parcels.
type BulkRequest struct {
	Numbers []int  `json:"numbers"`
	Action  string `json:"action"`
	Note    string `json:"note"`
}

// ProcessParcel carries one action out on one parcel, and says what became of it.
func ProcessParcel(depot *Depot, number int, action, note string) string {
	depot.mutex.Lock()
	defer depot.mutex.Unlock()
	parcel, known := depot.parcels[number]
	if !known {
		return "unknown"
	}
	state, possible := states[action]
	if !possible {
		return "refused"
	}
	parcel.State, parcel.Note = state, note
	depot.parcels[number] = parcel
	return state
}

// ProcessAll carries a bulk request out, and says what became of each parcel.
func ProcessAll(depot *Depot, request BulkRequest) map[int]string {
	done := make(map[int]string, len(request.Numbers))
	for _, number := range request.Numbers {
		done[number] = ProcessParcel(depot, number, request.Action, request.Note)
	}
	return done
}

// ProcessEach carries a bulk request out, one parcel after the other.
func ProcessEach(depot *Depot, request BulkRequest) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, number := range request.Numbers {
			if !yield(number, ProcessParcel(depot, number, request.Action, request.Note)) {
				return
			}
		}
	}
}
