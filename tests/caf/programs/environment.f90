! Arguments, the environment, and what images have for themselves: units and scratch files
!# images 2 3
!>* ok {i}
program environment
  implicit none
  integer :: me, unit, i, read_back
  character(64) :: name, line
  integer :: status
  me = this_image()
  if (command_argument_count() /= 0) error stop 'arguments'
  call get_command_argument(0, name)
  if (index(name, 'environment') == 0) error stop 'name'
  call get_environment_variable('ARMATURE_NONE_OF_THESE', line, status=status)
  if (status /= 1) error stop 'environment'
  open (newunit=unit, status='scratch', form='formatted')
  do i = 1, 10
    write (unit, '(i0)') me*100 + i
  end do
  sync all
  rewind (unit)
  do i = 1, 10
    read (unit, *) read_back
    if (read_back /= me*100 + i) error stop 'file'
  end do
  close (unit)
  write (line, '(a,i0,a,f4.1)') 'x', me, 'y', me/2.
  read (line(2:2), *) read_back
  if (read_back /= me) error stop 'internal'
  print '(a,i0)', 'ok ', me
end program
