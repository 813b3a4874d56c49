// Package records holds the rows and keeps them in memory.
package records

import (
	"errors"
	"time"
)

// ErrUnknown says that there is no such row.
var ErrUnknown = errors.New("unknown")

// Book is one copy on a shelf.
type Book struct {
	Barcode  string `json:"barcode"`
	Title    string `json:"title"`
	Author   string `json:"author"`
	Language string `json:"language"`
	Shelf    string `json:"shelf"`
	Lost     bool   `json:"lost"`
}

// Reader is somebody with a card.
type Reader struct {
	Card     string `json:"card"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Language string `json:"language"`
	Blocked  bool   `json:"blocked"`
	OwedCent int    `json:"owed_cents"`
}

// Loan is a book in a reader's hands.
type Loan struct {
	ID         int        `json:"id"`
	Barcode    string     `json:"barcode"`
	Card       string     `json:"card"`
	DueOn      time.Time  `json:"due_on"`
	Renewals   int        `json:"renewals"`
	ReturnedOn *time.Time `json:"returned_on"`
}

// Hold is a reader's place in the queue for a book.
type Hold struct {
	ID      int       `json:"id"`
	Barcode string    `json:"barcode"`
	Card    string    `json:"card"`
	Since   time.Time `json:"since"`
}

// Shelf is everything there is.
type Shelf struct {
	Books   map[string]*Book
	Readers map[string]*Reader
	Loans   map[int]*Loan
	Holds   map[int]*Hold
}

// NewShelf makes an empty library.
func NewShelf() *Shelf {
	return &Shelf{
		Books:   map[string]*Book{},
		Readers: map[string]*Reader{},
		Loans:   map[int]*Loan{},
		Holds:   map[int]*Hold{},
	}
}

// Book finds a copy by its barcode.
func (s *Shelf) Book(barcode string) (*Book, error) {
	if book, ok := s.Books[barcode]; ok {
		return book, nil
	}
	return nil, ErrUnknown
}

// Reader finds a reader by the card.
func (s *Shelf) Reader(card string) (*Reader, error) {
	if reader, ok := s.Readers[card]; ok {
		return reader, nil
	}
	return nil, ErrUnknown
}

// Loan finds a loan.
func (s *Shelf) Loan(id int) (*Loan, error) {
	if loan, ok := s.Loans[id]; ok {
		return loan, nil
	}
	return nil, ErrUnknown
}

// LoansOf lists what a reader has at home.
func (s *Shelf) LoansOf(card string) []*Loan {
	loans := []*Loan{}
	for _, loan := range s.Loans {
		if loan.Card == card && loan.ReturnedOn == nil {
			loans = append(loans, loan)
		}
	}
	return loans
}
