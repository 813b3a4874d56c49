package parcels

import "testing"

func TestAnActionMovesAllParcels(t *testing.T) {
	depot := Depot{7: "in the depot"}
	done := ProcessAll(depot, []int{7, 9}, "on its way")
	if done[7] != "on its way" || done[9] != "unknown" || depot[7] != "on its way" {
		t.Fatalf("%v, %v", done, depot)
	}
}
