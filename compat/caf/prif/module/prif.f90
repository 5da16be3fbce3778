! The Parallel Runtime Interface for Fortran, revision 0.7, over Armature. Programs that use it compile it with their own
! compiler. All procedures are those of libarmature-prif, by the names by which LLVM Flang calls them.
!
! What differs from the specification, and few callers need know: arguments of prif_team_type, and image sets, come in
! descriptors, as Flang 22 hands them over; procedure arguments need not be pointers; prif_image_status is not elemental.
module prif
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_funptr, c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, &
    c_ptrdiff_t, c_size_t
  implicit none
  private :: c_bool, c_char, c_funptr, c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  public

  integer(c_int), parameter :: PRIF_VERSION_MAJOR = 0
  integer(c_int), parameter :: PRIF_VERSION_MINOR = 7
  integer(c_int), parameter :: PRIF_ATOMIC_INT_KIND = c_int64_t
  integer(c_int), parameter :: PRIF_ATOMIC_LOGICAL_KIND = c_int64_t

  ! The values of LLVM Flang's iso_fortran_env, and two of PRIF itself.
  integer(c_int), parameter :: PRIF_CURRENT_TEAM = -1
  integer(c_int), parameter :: PRIF_INITIAL_TEAM = -2
  integer(c_int), parameter :: PRIF_PARENT_TEAM = -3
  integer(c_int), parameter :: PRIF_STAT_FAILED_IMAGE = 101
  integer(c_int), parameter :: PRIF_STAT_LOCKED = 102
  integer(c_int), parameter :: PRIF_STAT_LOCKED_OTHER_IMAGE = 103
  integer(c_int), parameter :: PRIF_STAT_STOPPED_IMAGE = 104
  integer(c_int), parameter :: PRIF_STAT_UNLOCKED = 105
  integer(c_int), parameter :: PRIF_STAT_UNLOCKED_FAILED_IMAGE = 106
  integer(c_int), parameter :: PRIF_STAT_OUT_OF_MEMORY = 301
  integer(c_int), parameter :: PRIF_STAT_ALREADY_INIT = 302

  type, bind(C) :: prif_coarray_handle
    private
    type(c_ptr) :: shape
  end type
  type, bind(C) :: prif_team_type
    private
    type(c_ptr) :: team = c_null_ptr
  end type
  type, bind(C) :: prif_event_type
    private
    integer(c_int64_t) :: posts = 0
  end type
  type, bind(C) :: prif_notify_type
    private
    integer(c_int64_t) :: posts = 0
  end type
  type, bind(C) :: prif_lock_type
    private
    integer(c_int64_t) :: holder = 0
  end type
  type, bind(C) :: prif_critical_type
    private
    integer(c_int64_t) :: holder = 0
  end type

  abstract interface
    subroutine prif_operation_wrapper_interface(arg1, arg2_and_out, count, cdata) bind(C)
      import
      type(c_ptr), intent(in), value :: arg1, arg2_and_out
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: cdata
    end subroutine
    subroutine prif_stop_callback_interface(is_error_stop, quiet, stop_code_int, stop_code_char)
      import
      logical(c_bool), intent(in) :: is_error_stop, quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine
  end interface

  interface
    subroutine prif_register_stop_callback(callback)
      import
      procedure(prif_stop_callback_interface), pointer, intent(in) :: callback
    end subroutine
    include 'prif_images.inc'
    include 'prif_storage.inc'
    include 'prif_access.inc'
    include 'prif_together.inc'
    include 'prif_atomic.inc'
  end interface
end module
