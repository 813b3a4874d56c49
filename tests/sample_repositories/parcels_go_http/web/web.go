// Package web serves a depot over HTTP.
package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"example.com/parcels/parcels"
)

type server struct {
	depot *parcels.Depot
}

// Handler gives the routes of the service.
func Handler(depot *parcels.Depot) http.Handler {
	s := &server{depot: depot}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /actions", s.bulkAction)
	mux.HandleFunc("POST /actions/stream", s.streamBulkAction)
	mux.HandleFunc("GET /parcels/{number}", s.showParcel)
	mux.HandleFunc("PUT /parcels/{number}", s.addParcel)
	mux.HandleFunc("DELETE /parcels/{number}", s.removeParcel)
	mux.HandleFunc("GET /counts", s.counts)
	return mux
}

// bulkAction carries an action out on many parcels, and answers with the result of all.
func (s *server) bulkAction(w http.ResponseWriter, r *http.Request) {
	var request parcels.BulkRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, http.StatusOK, parcels.ProcessAll(s.depot, request))
}

// streamBulkAction carries an action out on many parcels, streaming a line for each.
func (s *server) streamBulkAction(w http.ResponseWriter, r *http.Request) {
	var request parcels.BulkRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	for number, state := range parcels.ProcessEach(s.depot, request) {
		fmt.Fprintf(w, "%d %s\n", number, state)
		http.NewResponseController(w).Flush()
	}
}

// showParcel says where a parcel is.
func (s *server) showParcel(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	parcel, known := s.depot.Find(number)
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, parcel)
}

// addParcel takes a parcel in.
func (s *server) addParcel(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		http.Error(w, "a parcel's number is a number", http.StatusBadRequest)
		return
	}
	answer(w, http.StatusCreated, s.depot.Add(number))
}

// removeParcel takes a parcel out of the books.
func (s *server) removeParcel(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || !s.depot.Remove(number) {
		http.NotFound(w, r)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// counts says how many parcels are in each state.
func (s *server) counts(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.depot.Count())
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
