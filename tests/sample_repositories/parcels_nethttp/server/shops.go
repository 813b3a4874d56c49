package server

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"example.com/parcels/conf"
	"example.com/parcels/labels"
	"example.com/parcels/pricing"
	"example.com/parcels/storage"
	"example.com/parcels/tracking"
)

var errTooHeavy = errors.New("too heavy")

type newParcel struct {
	To      storage.Address `json:"to"`
	Grams   int             `json:"grams"`
	Fragile bool            `json:"fragile"`
	DepotID string          `json:"depot_id"`
	Hint    string          `json:"hint"`
}

type redirection struct {
	To storage.Address `json:"to"`
}

type pickupOrder struct {
	On time.Time `json:"on"`
}

// listParcels shows a shop its own parcels.
func (s *Server) listParcels(w http.ResponseWriter, r *http.Request) {
	status := r.URL.Query().Get("status")
	country := r.URL.Query().Get("country")
	rows := []*storage.Parcel{}
	for _, parcel := range s.db.Parcels {
		if parcel.ShopID == r.PathValue("shop") &&
			(status == "" || parcel.Status == status) &&
			(country == "" || parcel.To.Country == country) {
			rows = append(rows, parcel)
		}
	}
	reply(w, http.StatusOK, rows)
}

func readParcel(r *http.Request) (*storage.Parcel, error) {
	var body newParcel
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	if body.Grams > conf.MaxGrams {
		return nil, errTooHeavy
	}
	parcel := &storage.Parcel{
		ShopID:  r.PathValue("shop"),
		DepotID: body.DepotID,
		To:      body.To,
		Grams:   body.Grams,
		Fragile: body.Fragile,
		Hint:    body.Hint,
		Status:  "announced",
	}
	parcel.Cents = pricing.Quote(parcel)
	return parcel, nil
}

// handIn takes a parcel from a shop.
func (s *Server) handIn(w http.ResponseWriter, r *http.Request) {
	parcel, err := readParcel(r)
	if err != nil {
		problem(w, err)
		return
	}
	code := make([]byte, 5)
	_, _ = rand.Read(code)
	parcel.Code = hex.EncodeToString(code)
	parcel.HandedIn = time.Now()
	s.db.Parcels[parcel.Code] = parcel
	reply(w, http.StatusCreated, parcel)
}

// quote says what a parcel would cost, and keeps nothing.
func (s *Server) quote(w http.ResponseWriter, r *http.Request) {
	parcel, err := readParcel(r)
	if err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]string{"price": pricing.Render(parcel.Cents)})
}

func (s *Server) printLabel(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	_, _ = w.Write([]byte(labels.Render(parcel)))
}

// redirectForShop corrects an address that the shop got wrong.
func (s *Server) redirectForShop(w http.ResponseWriter, r *http.Request) {
	s.redirect(w, r)
}

func (s *Server) redirect(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	var body redirection
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		problem(w, err)
		return
	}
	if err := tracking.Redirect(s.db, parcel, body.To); err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, parcel)
}

// withdraw takes a parcel back that has not left yet.
func (s *Server) withdraw(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	if parcel.Status != "announced" {
		problem(w, tracking.ErrWrongStatus)
		return
	}
	delete(s.db.Parcels, parcel.Code)
	reply(w, http.StatusNoContent, nil)
}

// orderPickup asks a courier to come to the shop.
func (s *Server) orderPickup(w http.ResponseWriter, r *http.Request) {
	var body pickupOrder
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		problem(w, err)
		return
	}
	pickup := &storage.Pickup{ID: len(s.db.Pickups) + 1, ShopID: r.PathValue("shop"), On: body.On}
	s.db.Pickups[pickup.ID] = pickup
	reply(w, http.StatusCreated, pickup)
}
