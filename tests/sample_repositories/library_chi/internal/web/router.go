// Package web is HTTP: the desk, readers at home, and the terminal in the hall.
package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.com/library/internal/catalogue"
	"example.com/library/internal/lending"
	"example.com/library/internal/members"
	"example.com/library/internal/records"
)

// App answers requests.
type App struct {
	shelf *records.Shelf
}

// Routes mounts everything.
func Routes(shelf *records.Shelf) http.Handler {
	app := &App{shelf: shelf}
	r := chi.NewRouter()
	r.Use(middleware.Recoverer)

	r.Get("/books", app.searchBooks)
	r.Get("/books/{barcode}", app.showBook)

	r.Route("/desk", func(r chi.Router) {
		r.Post("/books", app.addBook)
		r.Post("/books/{barcode}/lost", app.markLost)
		r.Get("/readers/{card}", app.showReader)
		r.Patch("/readers/{card}", app.changeReader)
		r.Post("/readers/{card}/block", app.blockReader)
		r.Post("/readers/{card}/payments", app.takePayment)
		r.Post("/loans", app.lendAtDesk)
		r.Post("/loans/{id}/return", app.returnAtDesk)
		r.Post("/loans/{id}/extend", app.extendAtDesk)
	})

	r.Route("/me", func(r chi.Router) {
		r.Use(app.requireCard)
		r.Get("/loans", app.myLoans)
		r.Post("/loans/{id}/extend", app.extendMine)
		r.Post("/holds", app.placeHold)
		r.Delete("/holds/{id}", app.dropHold)
	})

	r.Mount("/kiosk", app.kiosk())
	return r
}

func (app *App) kiosk() http.Handler {
	r := chi.NewRouter()
	r.Post("/loans", app.lendAtKiosk)
	r.Post("/returns", app.returnAtKiosk)
	return r
}

func (app *App) requireCard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := app.shelf.Reader(r.Header.Get("X-Card")); err != nil {
			refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer writes a value as JSON; every handler ends here.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// refuse says why something was not done.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, records.ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, lending.ErrRefused), errors.Is(err, members.ErrTooMany):
		status = http.StatusConflict
	case errors.Is(err, catalogue.ErrIncomplete):
		status = http.StatusUnprocessableEntity
	}
	answer(w, status, map[string]string{"error": err.Error()})
}
