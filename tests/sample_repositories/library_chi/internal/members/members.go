// Package members looks after readers and their places in queues.
package members

import (
	"errors"
	"time"

	"example.com/library/internal/records"
	"example.com/library/internal/settings"
)

// ErrTooMany says that a reader waits for enough books.
var ErrTooMany = errors.New("too many holds")

// PlaceHold puts a reader into the queue for a book.
func PlaceHold(shelf *records.Shelf, reader *records.Reader, book *records.Book, now time.Time) (*records.Hold, error) {
	waiting := 0
	for _, hold := range shelf.Holds {
		if hold.Card == reader.Card {
			waiting++
		}
	}
	if waiting >= settings.MaxHolds {
		return nil, ErrTooMany
	}
	hold := &records.Hold{ID: len(shelf.Holds) + 1, Barcode: book.Barcode, Card: reader.Card, Since: now}
	shelf.Holds[hold.ID] = hold
	return hold, nil
}

// Block keeps a reader from borrowing.
func Block(reader *records.Reader) {
	reader.Blocked = true
}

// Pay takes money at the desk.
func Pay(reader *records.Reader, cents int) {
	reader.OwedCent = max(0, reader.OwedCent-cents)
}
