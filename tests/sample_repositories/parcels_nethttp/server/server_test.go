package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/parcels/storage"
)

func TestAParcelThatIsOutCannotGoElsewhere(t *testing.T) {
	db := storage.Open()
	db.Parcels["abc"] = &storage.Parcel{Code: "abc", Status: "out"}
	request := httptest.NewRequest(http.MethodPost, "/track/abc/redirect", strings.NewReader(`{"to":{"name":"Octo"}}`))
	answer := httptest.NewRecorder()
	New(db).ServeHTTP(answer, request)
	if answer.Code != http.StatusConflict {
		t.Fatalf("code = %d", answer.Code)
	}
}

func TestAQuoteKeepsNothing(t *testing.T) {
	db := storage.Open()
	request := httptest.NewRequest(http.MethodPost, "/shops/s1/quotes", strings.NewReader(`{"grams":900}`))
	New(db).ServeHTTP(httptest.NewRecorder(), request)
	if len(db.Parcels) != 0 {
		t.Fatal("the quote was kept")
	}
}
