// Package catalogue finds books.
package catalogue

import (
	"errors"
	"sort"
	"strings"

	"example.com/library/internal/records"
)

// ErrIncomplete says that a book cannot be put on a shelf like this.
var ErrIncomplete = errors.New("incomplete")

// Filter is what a search may ask for; empty means all.
type Filter struct {
	Words    string
	Language string
	OnShelf  bool
}

// Search lists books by title or author.
func Search(shelf *records.Shelf, filter Filter) []*records.Book {
	lent := map[string]bool{}
	for _, loan := range shelf.Loans {
		if loan.ReturnedOn == nil {
			lent[loan.Barcode] = true
		}
	}
	found := []*records.Book{}
	words := strings.ToLower(filter.Words)
	for _, book := range shelf.Books {
		text := strings.ToLower(book.Title + " " + book.Author)
		if strings.Contains(text, words) &&
			(filter.Language == "" || book.Language == filter.Language) &&
			(!filter.OnShelf || !lent[book.Barcode]) {
			found = append(found, book)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Title < found[j].Title })
	return found
}

// Validate says whether a book may be put on a shelf.
func Validate(book *records.Book) error {
	if book.Barcode == "" || book.Title == "" {
		return ErrIncomplete
	}
	return nil
}
