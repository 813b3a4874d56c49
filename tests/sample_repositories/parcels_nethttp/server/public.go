package server

import "net/http"

// track is what the person who waits sees.
func (s *Server) track(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"status": parcel.Status, "history": s.db.History(parcel.Code)})
}

// redirectForRecipient lets the person who waits send the parcel elsewhere.
func (s *Server) redirectForRecipient(w http.ResponseWriter, r *http.Request) {
	s.redirect(w, r)
}

func (s *Server) showDepot(w http.ResponseWriter, r *http.Request) {
	depot, err := s.db.Depot(r.PathValue("depot"))
	if err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, depot)
}
