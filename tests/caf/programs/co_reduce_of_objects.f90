! co_reduce of derived types: the place of the greatest value, and sums of several things at once
!# images 1 2 5
!>* ok {i}
module reductions
  implicit none
  type best
    real(8) :: value
    integer :: image, index
    character(8) :: name
  end type
  type moments
    real(8) :: sum, sum_of_squares
    integer(8) :: count
  end type
contains
  pure type(best) function better(a, b)
    type(best), intent(in) :: a, b
    better = b
    if (a%value > b%value .or. (a%value == b%value .and. a%image < b%image)) better = a
  end function
  pure type(moments) function added(a, b)
    type(moments), intent(in) :: a, b
    added = moments(a%sum + b%sum, a%sum_of_squares + b%sum_of_squares, a%count + b%count)
  end function
end module

program of_objects
  use reductions
  implicit none
  type(best) :: found(2)
  type(moments) :: all
  integer :: me, images
  me = this_image()
  images = num_images()
  found(1) = best(mod(7*me, 5), me, 10*me, 'of ' // char(iachar('0') + me))
  found(2) = best(-me, me, me, 'least')
  call co_reduce(found, better)
  if (found(1)%index /= 10*found(1)%image .or. found(1)%name /= 'of ' // char(iachar('0') + found(1)%image)) &
    error stop 'its other values'
  if (found(1)%image /= min(images, 2) .and. images < 3) error stop 'the greatest'
  if (found(2)%value /= -1 .or. found(2)%image /= 1) error stop 'of -me'
  all = moments(me, me*me, 1)
  call co_reduce(all, added, result_image=images)
  if (me == images) then
    if (all%count /= images .or. all%sum /= images*(images + 1)/2) error stop 'moments'
  end if
  print '(a,i0)', 'ok ', me
end program
