package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"example.com/fleet/internal/model"
	"example.com/fleet/internal/workshop"
)

type vehicleChanges struct {
	Depot   *string `json:"depot"`
	Comment *string `json:"comment"`
}

type repairRequest struct {
	Garage  string `json:"garage" binding:"required"`
	Problem string `json:"problem" binding:"required"`
}

type repairResult struct {
	Cents int `json:"cents" binding:"required"`
}

// listVehicles shows vehicles that are not retired, of one depot if the query says so.
func (srv *Server) listVehicles(c *gin.Context) {
	depot, kind := c.Query("depot"), c.Query("kind")
	serviceDue := c.Query("service_due") == "true"
	c.JSON(http.StatusOK, srv.store.Vehicles(func(v *model.Vehicle) bool {
		return !v.Retired &&
			(depot == "" || v.Depot == depot) &&
			(kind == "" || v.Kind == kind) &&
			(!serviceDue || workshop.KmToService(v) < 500)
	}))
}

func (srv *Server) getVehicle(c *gin.Context) {
	vehicle, err := srv.store.Vehicle(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, vehicle)
}

func (srv *Server) patchVehicle(c *gin.Context) {
	vehicle, err := srv.store.Vehicle(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body vehicleChanges
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	if body.Depot != nil {
		vehicle.Depot = *body.Depot
	}
	if body.Comment != nil {
		vehicle.Comment = *body.Comment
	}
	c.JSON(http.StatusOK, vehicle)
}

// retireVehicle takes a vehicle off the road for good.
func (srv *Server) retireVehicle(c *gin.Context) {
	vehicle, err := srv.store.Vehicle(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	vehicle.Retired = true
	c.JSON(http.StatusOK, vehicle)
}

func (srv *Server) listRepairs(c *gin.Context) {
	vehicle, err := srv.store.Vehicle(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, srv.store.Repairs(vehicle.ID))
}

// bookRepair sends a vehicle to a garage.
func (srv *Server) bookRepair(c *gin.Context) {
	vehicle, err := srv.store.Vehicle(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body repairRequest
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusCreated, workshop.Book(srv.store, vehicle, body.Garage, body.Problem))
}

// finishRepair closes a repair with the garage's bill.
func (srv *Server) finishRepair(c *gin.Context) {
	repair, err := srv.store.Repair(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body repairResult
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	workshop.Finish(repair, body.Cents)
	c.JSON(http.StatusOK, repair)
}
