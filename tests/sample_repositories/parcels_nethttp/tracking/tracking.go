// Package tracking moves parcels from one status to the next.
package tracking

import (
	"errors"
	"time"

	"example.com/parcels/conf"
	"example.com/parcels/storage"
)

// ErrWrongStatus says that this cannot happen to the parcel now.
var ErrWrongStatus = errors.New("not in this status")

// Advance gives a parcel its next status and keeps an event of it.
func Advance(db *storage.DB, parcel *storage.Parcel, status, text string) {
	parcel.Status = status
	db.Events = append(db.Events, storage.Event{Code: parcel.Code, At: time.Now(), Text: text})
}

// Redirect sends a parcel to another address, as long as no courier has it.
func Redirect(db *storage.DB, parcel *storage.Parcel, to storage.Address) error {
	if parcel.Status == "out" || parcel.Status == "delivered" {
		return ErrWrongStatus
	}
	parcel.To = to
	Advance(db, parcel, parcel.Status, "new address")
	return nil
}

// Deliver ends the journey of a parcel.
func Deliver(db *storage.DB, parcel *storage.Parcel, signature string) error {
	if parcel.Status != "out" {
		return ErrWrongStatus
	}
	parcel.Signature = signature
	Advance(db, parcel, "delivered", "delivered to "+signature)
	return nil
}

// Fail counts an attempt at which nobody opened.
func Fail(db *storage.DB, parcel *storage.Parcel) error {
	if parcel.Status != "out" {
		return ErrWrongStatus
	}
	parcel.Attempts++
	if parcel.Attempts >= conf.MaxAttempts {
		Advance(db, parcel, "returning", "goes back to the shop")
		return nil
	}
	Advance(db, parcel, "waiting", "nobody at home")
	return nil
}
