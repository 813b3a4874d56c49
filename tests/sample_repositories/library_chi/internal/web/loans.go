package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"example.com/library/internal/lending"
	"example.com/library/internal/members"
	"example.com/library/internal/records"
)

type loanRequest struct {
	Barcode string `json:"barcode"`
	Card    string `json:"card"`
}

type holdRequest struct {
	Barcode string `json:"barcode"`
}

func (app *App) loanInPath(r *http.Request) (*records.Loan, error) {
	id, err := strconv.Atoi(chi.URLParam(r, "id"))
	if err != nil {
		return nil, records.ErrUnknown
	}
	return app.shelf.Loan(id)
}

func (app *App) lend(w http.ResponseWriter, r *http.Request) {
	var body loanRequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, err)
		return
	}
	book, err := app.shelf.Book(body.Barcode)
	if err != nil {
		refuse(w, err)
		return
	}
	reader, err := app.shelf.Reader(body.Card)
	if err != nil {
		refuse(w, err)
		return
	}
	loan, err := lending.Lend(app.shelf, book, reader, time.Now())
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusCreated, loan)
}

// lendAtDesk is a librarian with a scanner.
func (app *App) lendAtDesk(w http.ResponseWriter, r *http.Request) {
	app.lend(w, r)
}

// lendAtKiosk is a reader at the terminal in the hall.
func (app *App) lendAtKiosk(w http.ResponseWriter, r *http.Request) {
	app.lend(w, r)
}

// returnAtDesk takes a book back over the counter.
func (app *App) returnAtDesk(w http.ResponseWriter, r *http.Request) {
	loan, err := app.loanInPath(r)
	if err != nil {
		refuse(w, err)
		return
	}
	if err := lending.TakeBack(app.shelf, loan, time.Now()); err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, loan)
}

// returnAtKiosk takes back whatever lies on the belt.
func (app *App) returnAtKiosk(w http.ResponseWriter, r *http.Request) {
	var body loanRequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, err)
		return
	}
	for _, loan := range app.shelf.Loans {
		if loan.Barcode == body.Barcode && loan.ReturnedOn == nil {
			if err := lending.TakeBack(app.shelf, loan, time.Now()); err != nil {
				refuse(w, err)
				return
			}
			answer(w, http.StatusOK, loan)
			return
		}
	}
	refuse(w, records.ErrUnknown)
}

// extendAtDesk gives a reader more time on the telephone.
func (app *App) extendAtDesk(w http.ResponseWriter, r *http.Request) {
	loan, err := app.loanInPath(r)
	if err != nil {
		refuse(w, err)
		return
	}
	if err := lending.Extend(app.shelf, loan); err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, loan)
}

func (app *App) myLoans(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, app.shelf.LoansOf(r.Header.Get("X-Card")))
}

// extendMine gives the reader at home more time.
func (app *App) extendMine(w http.ResponseWriter, r *http.Request) {
	loan, err := app.loanInPath(r)
	if err != nil || loan.Card != r.Header.Get("X-Card") {
		refuse(w, records.ErrUnknown)
		return
	}
	if err := lending.Extend(app.shelf, loan); err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, loan)
}

// placeHold queues the reader for a book that is out.
func (app *App) placeHold(w http.ResponseWriter, r *http.Request) {
	var body holdRequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, err)
		return
	}
	book, err := app.shelf.Book(body.Barcode)
	if err != nil {
		refuse(w, err)
		return
	}
	reader, err := app.shelf.Reader(r.Header.Get("X-Card"))
	if err != nil {
		refuse(w, err)
		return
	}
	hold, err := members.PlaceHold(app.shelf, reader, book, time.Now())
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusCreated, hold)
}

// dropHold gives up a place in a queue.
func (app *App) dropHold(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(chi.URLParam(r, "id"))
	hold, ok := app.shelf.Holds[id]
	if !ok || hold.Card != r.Header.Get("X-Card") {
		refuse(w, records.ErrUnknown)
		return
	}
	delete(app.shelf.Holds, id)
	answer(w, http.StatusOK, hold)
}
