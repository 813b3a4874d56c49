// Package lending lends books and takes them back.
package lending

import (
	"errors"
	"time"

	"example.com/library/internal/fees"
	"example.com/library/internal/records"
	"example.com/library/internal/settings"
)

// ErrRefused says that this reader may not do this now.
var ErrRefused = errors.New("refused")

// Lend hands a book to a reader.
func Lend(shelf *records.Shelf, book *records.Book, reader *records.Reader, today time.Time) (*records.Loan, error) {
	if reader.Blocked || book.Lost || len(shelf.LoansOf(reader.Card)) >= settings.MaxLoans {
		return nil, ErrRefused
	}
	loan := &records.Loan{
		ID:      len(shelf.Loans) + 1,
		Barcode: book.Barcode,
		Card:    reader.Card,
		DueOn:   today.AddDate(0, 0, settings.LoanDays),
	}
	if err := Validate(loan); err != nil {
		return nil, err
	}
	shelf.Loans[loan.ID] = loan
	return loan, nil
}

// Extend makes a loan longer.
func Extend(shelf *records.Shelf, loan *records.Loan) error {
	for _, hold := range shelf.Holds {
		if hold.Barcode == loan.Barcode {
			return ErrRefused
		}
	}
	if loan.Renewals >= settings.MaxRenewals {
		return ErrRefused
	}
	loan.Renewals++
	loan.DueOn = loan.DueOn.AddDate(0, 0, settings.LoanDays)
	return nil
}

// TakeBack ends a loan; a late one costs something.
func TakeBack(shelf *records.Shelf, loan *records.Loan, today time.Time) error {
	reader, err := shelf.Reader(loan.Card)
	if err != nil {
		return err
	}
	loan.ReturnedOn = &today
	reader.OwedCent += fees.ForDelay(loan.DueOn, today)
	return nil
}

// Validate says whether a loan is in order.
func Validate(loan *records.Loan) error {
	if loan.Barcode == "" || loan.Card == "" {
		return ErrRefused
	}
	return nil
}
