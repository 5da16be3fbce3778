! A unit that the calling virtual rank opens and closes.
module units
  use iso_c_binding, only: c_char, c_int
  implicit none
contains
  subroutine open_unit(path, length) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int), value :: length
    character(len=length) :: name
    integer :: i
    do i = 1, length
      name(i:i) = path(i)
    end do
    open (10, file=name, action="write")
    write (10, *) "a line"
  end subroutine open_unit

  subroutine close_unit() bind(c)
    close (10)
  end subroutine close_unit
end module units
