package web

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.com/library/internal/members"
)

type readerChanges struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

type payment struct {
	Cents int `json:"cents"`
}

func (app *App) showReader(w http.ResponseWriter, r *http.Request) {
	reader, err := app.shelf.Reader(chi.URLParam(r, "card"))
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, reader)
}

func (app *App) changeReader(w http.ResponseWriter, r *http.Request) {
	reader, err := app.shelf.Reader(chi.URLParam(r, "card"))
	if err != nil {
		refuse(w, err)
		return
	}
	changes := readerChanges{Name: reader.Name, Email: reader.Email}
	if err := json.NewDecoder(r.Body).Decode(&changes); err != nil {
		refuse(w, err)
		return
	}
	reader.Name, reader.Email = changes.Name, changes.Email
	answer(w, http.StatusOK, reader)
}

// blockReader keeps somebody from borrowing until they have paid.
func (app *App) blockReader(w http.ResponseWriter, r *http.Request) {
	reader, err := app.shelf.Reader(chi.URLParam(r, "card"))
	if err != nil {
		refuse(w, err)
		return
	}
	members.Block(reader)
	answer(w, http.StatusOK, reader)
}

// takePayment books what a reader pays at the desk.
func (app *App) takePayment(w http.ResponseWriter, r *http.Request) {
	reader, err := app.shelf.Reader(chi.URLParam(r, "card"))
	if err != nil {
		refuse(w, err)
		return
	}
	var body payment
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, err)
		return
	}
	members.Pay(reader, body.Cents)
	answer(w, http.StatusOK, reader)
}
