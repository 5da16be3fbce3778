! Random updates of a table by atomic exclusive or: twice the same ones leave it as it was
!# images 1 2 4 7
!>* image {i} has its table
program updates
  use iso_fortran_env, only: atomic_int_kind, int64
  implicit none
  integer, parameter :: words = 64, updates_each = 500
  integer(atomic_int_kind) :: table(words)[*]
  integer(int64) :: state
  integer :: me, images, round, k, at, changed
  me = this_image()
  images = num_images()
  table = [(words*(me - 1) + k, k=1, words)]
  sync all
  do round = 1, 2
    state = 12345_int64*me
    do k = 1, updates_each
      state = iand(state*25214903917_int64 + 11_int64, 281474976710655_int64)
      at = int(mod(ishft(state, -17), int(words*images, int64)))
      call atomic_xor(table(1 + mod(at, words))[1 + at/words], int(iand(ishft(state, -13), 65535_int64), atomic_int_kind))
    end do
    sync all
    changed = count(table /= [(words*(me - 1) + k, k=1, words)])
    call co_sum(changed)
    if (round == 1 .and. changed == 0) error stop 'nothing has changed'
    if (round == 2 .and. changed /= 0) error stop 'it is not as it was'
    sync all
  end do
  print '(a,i0,a)', 'image ', me, ' has its table'
end program
