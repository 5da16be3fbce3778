! Each virtual rank has the variables of modules for itself, where it has a copy of the program.
module variables
  use armature_arrays
  implicit none
  integer :: number = -1

contains

  subroutine body() bind(c)
    if (number /= -1) call abort_job('a variable that another rank has written to')
    if (command_argument_count() /= 1) call abort_job('the arguments are missing')
    number = this_rank()
    call barrier()
    if (number /= this_rank()) call abort_job('a variable that another rank has written to since')
    call barrier()
    if (this_rank() == 0) print '(a)', 'each rank has its own variables'
  end subroutine

end module

program own_variables
  use variables
  implicit none
  call run(body)
end program
