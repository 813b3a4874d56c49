package web

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.com/library/internal/catalogue"
	"example.com/library/internal/records"
)

// searchBooks is open to everybody.
func (app *App) searchBooks(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	answer(w, http.StatusOK, catalogue.Search(app.shelf, catalogue.Filter{
		Words:    query.Get("q"),
		Language: query.Get("language"),
		OnShelf:  query.Get("on_shelf") == "true",
	}))
}

func (app *App) showBook(w http.ResponseWriter, r *http.Request) {
	book, err := app.shelf.Book(chi.URLParam(r, "barcode"))
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, book)
}

func (app *App) addBook(w http.ResponseWriter, r *http.Request) {
	var book records.Book
	if err := json.NewDecoder(r.Body).Decode(&book); err != nil {
		refuse(w, err)
		return
	}
	if err := catalogue.Validate(&book); err != nil {
		refuse(w, err)
		return
	}
	app.shelf.Books[book.Barcode] = &book
	answer(w, http.StatusCreated, book)
}

// markLost takes a copy out of circulation.
func (app *App) markLost(w http.ResponseWriter, r *http.Request) {
	book, err := app.shelf.Book(chi.URLParam(r, "barcode"))
	if err != nil {
		refuse(w, err)
		return
	}
	book.Lost = true
	answer(w, http.StatusOK, book)
}
