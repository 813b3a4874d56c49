package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

type driverChanges struct {
	Phone   *string `json:"phone"`
	Comment *string `json:"comment"`
}

func (srv *Server) listDrivers(c *gin.Context) {
	c.JSON(http.StatusOK, srv.store.Drivers())
}

func (srv *Server) patchDriver(c *gin.Context) {
	driver, err := srv.store.Driver(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body driverChanges
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	if body.Phone != nil {
		driver.Phone = *body.Phone
	}
	if body.Comment != nil {
		driver.Comment = *body.Comment
	}
	c.JSON(http.StatusOK, driver)
}

// suspendDriver takes the keys away until somebody gives them back.
func (srv *Server) suspendDriver(c *gin.Context) {
	driver, err := srv.store.Driver(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	driver.Suspended = true
	c.JSON(http.StatusOK, driver)
}
