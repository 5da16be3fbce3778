! Particles that leave an image's piece go to a neighbour's list, which grows there as needed
!# images 1 2 3 6
!> 60 particles for each image
program particles
  use iso_fortran_env, only: event_type, lock_type
  implicit none
  integer, parameter :: begin_with = 60, rounds = 8
  type box
    integer :: count = 0
    real, allocatable :: at(:), speed(:)
  end type
  type(box), save :: inbox[*]
  type(lock_type), save :: guard[*]
  real, allocatable :: at(:), speed(:), theirs(:)
  integer, allocatable :: goal(:)
  integer :: me, images, k, round, total, to, there, leaving
  me = this_image()
  images = num_images()
  at = [(real(me - 1) + (k - 0.5)/begin_with, k=1, begin_with)]
  speed = [(0.05*(mod(k, 9) - 4), k=1, begin_with)]
  allocate (inbox%at(begin_with*images), inbox%speed(begin_with*images))
  sync all
  do round = 1, rounds
    at = modulo(at + speed, real(images))
    goal = 1 + min(int(at), images - 1)
    do to = 1, images
      leaving = count(goal == to)
      if (to == me .or. leaving == 0) cycle
      theirs = pack(at, goal == to)
      lock (guard[to])
        there = inbox[to]%count
        inbox[to]%at(there + 1:there + leaving) = theirs
        inbox[to]%speed(there + 1:there + leaving) = pack(speed, goal == to)
        inbox[to]%count = there + leaving
      unlock (guard[to])
    end do
    speed = pack(speed, goal == me)
    at = pack(at, goal == me)
    sync all
    at = [at, inbox%at(:inbox%count)]
    speed = [speed, inbox%speed(:inbox%count)]
    inbox%count = 0
    if (any(int(at) /= me - 1 .and. at < real(images))) error stop 'a particle is where it should not be'
    sync all
  end do
  total = size(at)
  call co_sum(total, 1)
  if (me == 1) print '(i0,a)', total/images, ' particles for each image'
end program
