// Command library serves the library and does its nightly work.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/library/internal/records"
	"example.com/library/internal/settings"
	"example.com/library/internal/web"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: library serve | remind | list-late")
	}
	shelf := records.NewShelf()
	switch os.Args[1] {
	case "serve":
		log.Fatal(http.ListenAndServe(settings.Address(), web.Routes(shelf)))
	case "remind":
		remind(shelf, os.Args[2:])
	case "list-late":
		listLate(shelf, os.Args[2:])
	}
}

// remind prints a line for each reader whose books are due soon; the mailer reads it.
func remind(shelf *records.Shelf, args []string) {
	flags := flag.NewFlagSet("remind", flag.ExitOnError)
	days := flags.Int("days", 2, "how many days before a book is due")
	_ = flags.Parse(args)
	limit := time.Now().AddDate(0, 0, *days)
	for _, loan := range shelf.Loans {
		if loan.ReturnedOn == nil && loan.DueOn.Before(limit) {
			fmt.Println(loan.Card, loan.Barcode, loan.DueOn.Format(time.DateOnly))
		}
	}
}

// listLate prints the books that should have come back, for the librarian who telephones.
func listLate(shelf *records.Shelf, args []string) {
	flags := flag.NewFlagSet("list-late", flag.ExitOnError)
	shelfMark := flags.String("shelf", "", "only books of one shelf")
	_ = flags.Parse(args)
	for _, loan := range shelf.Loans {
		book, err := shelf.Book(loan.Barcode)
		if err != nil || loan.ReturnedOn != nil || loan.DueOn.After(time.Now()) {
			continue
		}
		if *shelfMark == "" || book.Shelf == *shelfMark {
			fmt.Println(loan.Card, book.Title)
		}
	}
}
