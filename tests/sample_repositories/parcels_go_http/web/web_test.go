package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/parcels/parcels"
)

func ask(depot *parcels.Depot, method, path, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	Handler(depot).ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	return recorder
}

func TestAnActionMovesAllParcels(t *testing.T) {
	depot := parcels.NewDepot()
	depot.Add(7)
	got := ask(depot, "POST", "/actions", `{"numbers": [7, 9], "action": "dispatch", "note": "van 3"}`)
	if strings.TrimSpace(got.Body.String()) != `{"7":"on its way","9":"unknown"}` {
		t.Fatal(got.Body)
	}
}

func TestTheStreamHasALineForEachParcel(t *testing.T) {
	depot := parcels.NewDepot()
	depot.Add(7)
	got := ask(depot, "POST", "/actions/stream", `{"numbers": [7, 9], "action": "return", "note": ""}`)
	if got.Body.String() != "7 returned\n9 unknown\n" {
		t.Fatal(got.Body)
	}
}

func TestAParcelComesAndGoes(t *testing.T) {
	depot := parcels.NewDepot()
	for _, step := range []struct {
		method string
		want   int
	}{{"PUT", http.StatusCreated}, {"GET", http.StatusOK}, {"DELETE", http.StatusNoContent}, {"GET", http.StatusNotFound}} {
		if got := ask(depot, step.method, "/parcels/7", ""); got.Code != step.want {
			t.Fatal(step.method, got.Code)
		}
	}
}
