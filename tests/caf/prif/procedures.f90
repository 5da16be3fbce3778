! The procedures of the Parallel Runtime Interface for Fortran that everything.f90 does not call.
!# images 1 2 5
!>* each is called by image {i}
module checked
  use iso_c_binding
  use prif
  implicit none
  integer, parameter :: words_of_each = 100
  integer(c_int) :: me, images, right, left
  type(prif_coarray_handle) :: handle, notes
  type(c_ptr) :: memory, note
  integer(c_int64_t), pointer :: values(:)
  integer(c_intptr_t), allocatable :: addresses(:)
contains
  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) call prif_error_stop(.false._c_bool, stop_code_char=what)
  end subroutine

  ! The byte at which word `index` lies.
  integer(c_size_t) function byte_of(index)
    integer, intent(in) :: index
    byte_of = 8_c_size_t*(index - 1)
  end function
  ! The address of a word at another image.
  integer(c_intptr_t) function address(image, index)
    integer, intent(in) :: image, index
    address = addresses(image) + 8*(index - 1)
  end function

  ! Coarrays of words, and where they lie at each image.
  subroutine begin
    integer(c_int64_t), target :: one
    integer :: image
    right = mod(me, images) + 1
    left = mod(me + images - 2, images) + 1
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], int(8*words_of_each, c_size_t), c_null_funptr, &
                               handle, memory)
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, c_null_funptr, notes, note)
    call c_f_pointer(memory, values, [words_of_each])
    values = 0
    values(words_of_each) = transfer(memory, values(1))
    call renew(note)
    call prif_sync_all()
    allocate (addresses(images))
    do image = 1, images
      call prif_get(image, handle, byte_of(words_of_each), c_loc(one), 8_c_size_t)
      addresses(image) = one
    end do
    call prif_sync_all()
  end subroutine
  subroutine renew(where)
    type(c_ptr), intent(in) :: where
    type(prif_notify_type), pointer :: it
    call c_f_pointer(where, it)
    it = prif_notify_type()
  end subroutine
  ! The address at another image of the word that has its notifications, which is a word of `values`.
  integer(c_intptr_t) function note_at(image)
    integer, intent(in) :: image
    note_at = address(image, 90)
  end function
  type(c_ptr) function own_note()
    own_note = c_loc(values(90))
  end function

  subroutine atoms_by_handle
    integer(c_int64_t) :: old
    integer(c_size_t) :: at
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: flag
    at = byte_of(1)
    if (me == 1) then
      call prif_atomic_define_int(images, handle, at, 12_c_int64_t)
      call prif_atomic_and(images, handle, at, 10_c_int64_t)
      call prif_atomic_or(images, handle, at, 3_c_int64_t)
      call prif_atomic_xor(images, handle, at, 1_c_int64_t)
      call prif_atomic_fetch_add(images, handle, at, 5_c_int64_t, old)
      call require(old == 10, 'fetch_add')
      call prif_atomic_fetch_and(images, handle, at, 7_c_int64_t, old)
      call require(old == 15, 'fetch_and')
      call prif_atomic_fetch_xor(images, handle, at, 2_c_int64_t, old)
      call require(old == 7, 'fetch_xor')
      call prif_atomic_cas_int(images, handle, at, old, 5_c_int64_t, 6_c_int64_t)
      call require(old == 5, 'cas_int')
      call prif_atomic_define_logical(images, handle, at, .true._PRIF_ATOMIC_LOGICAL_KIND)
      call prif_atomic_ref_logical(images, handle, at, flag)
      call require(logical(flag), 'ref_logical')
    end if
    call prif_sync_all()
  end subroutine

  subroutine atoms_by_address
    integer(c_int64_t) :: old
    integer(c_intptr_t) :: at
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: flag
    at = address(right, 2)
    call prif_atomic_define_int_indirect(right, at, 12_c_int64_t)
    call prif_atomic_and_indirect(right, at, 10_c_int64_t)
    call prif_atomic_or_indirect(right, at, 3_c_int64_t)
    call prif_atomic_xor_indirect(right, at, 1_c_int64_t)
    call prif_atomic_add_indirect(right, at, -4_c_int64_t)
    call prif_atomic_fetch_add_indirect(right, at, 9_c_int64_t, old)
    call require(old == 6, 'fetch_add by an address')
    call prif_atomic_fetch_and_indirect(right, at, 7_c_int64_t, old)
    call require(old == 15, 'fetch_and by an address')
    call prif_atomic_fetch_or_indirect(right, at, 8_c_int64_t, old)
    call require(old == 7, 'fetch_or by an address')
    call prif_atomic_fetch_xor_indirect(right, at, 3_c_int64_t, old)
    call require(old == 15, 'fetch_xor by an address')
    call prif_atomic_cas_int_indirect(right, at, old, 12_c_int64_t, 100_c_int64_t + me)
    call require(old == 12, 'cas_int by an address')
    call prif_atomic_ref_int_indirect(right, at, old)
    call require(old == 100 + me, 'ref_int by an address')
    call prif_sync_all()
    call require(values(2) == 100 + left, 'the word itself')
    call prif_sync_all()
    call prif_atomic_define_logical_indirect(right, at, .true._PRIF_ATOMIC_LOGICAL_KIND)
    call prif_atomic_cas_logical_indirect(right, at, flag, .true._PRIF_ATOMIC_LOGICAL_KIND, &
                                          .false._PRIF_ATOMIC_LOGICAL_KIND)
    call require(logical(flag), 'cas_logical by an address')
    call prif_atomic_ref_logical_indirect(right, at, flag)
    call require(.not. logical(flag), 'ref_logical by an address')
    call prif_sync_all()
  end subroutine

  ! Each put is told to the image that gets it.
  subroutine puts_with_notification
    integer(c_int64_t), target :: mine(3)
    integer(c_ptrdiff_t) :: remote(1), here(1)
    integer(c_size_t) :: count(1)
    mine = [1, 2, 3] + 10*me
    remote = 16; here = 8; count = 3
    call renew(own_note())
    call prif_sync_all()
    call prif_put_with_notify_indirect(right, handle, byte_of(11), c_loc(mine), 8_c_size_t, note_at(right))
    call prif_put_indirect_with_notify(right, address(right, 12), c_loc(mine(2)), 8_c_size_t, notes, 0_c_size_t)
    call prif_put_indirect_with_notify_indirect(right, address(right, 13), c_loc(mine(3)), 8_c_size_t, note_at(right))
    call prif_notify_wait(own_note(), 2_c_int64_t)
    call prif_notify_wait(note)
    call require(all(values(11:13) == [1, 2, 3] + 10*left), 'puts with notification')
    call prif_sync_all()
    call prif_put_strided(right, handle, byte_of(21), remote, c_loc(mine), here, 8_c_size_t, count)
    call prif_put_strided_indirect(right, address(right, 31), remote, c_loc(mine), here, 8_c_size_t, count)
    call prif_put_strided_with_notify_indirect(right, handle, byte_of(41), remote, c_loc(mine), here, 8_c_size_t, count, &
                                               note_at(right))
    call prif_put_strided_indirect_with_notify(right, address(right, 51), remote, c_loc(mine), here, 8_c_size_t, count, &
                                               notes, 0_c_size_t)
    call prif_put_strided_indirect_with_notify_indirect(right, address(right, 61), remote, c_loc(mine), here, 8_c_size_t, &
                                                        count, note_at(right))
    call prif_notify_wait(own_note(), 2_c_int64_t)
    call prif_notify_wait(note)
    call require(all(values(41:45:2) == [1, 2, 3] + 10*left) .and. values(42) == 0, 'strided put with notification')
    call require(all(values(51:55:2) == [1, 2, 3] + 10*left), 'strided put by an address')
    call require(all(values(61:65:2) == [1, 2, 3] + 10*left), 'strided put by two addresses')
    call prif_sync_all()
    call require(all(values(21:25:2) == [1, 2, 3] + 10*left) .and. values(22) == 0, 'strided put')
    call require(all(values(31:35:2) == values(21:25:2)) .and. values(34) == 0, 'strided put by an address alone')
    remote = -16
    call prif_get_strided_indirect(right, address(right, 25), remote, c_loc(mine), here, 8_c_size_t, count)
    call require(all(mine == [3, 2, 1] + 10*me), 'strided get by an address')
    call prif_sync_all()
  end subroutine

  subroutine locks_and_events
    integer(c_int64_t), target :: one
    integer(c_int64_t) :: posts
    integer :: i
    values(71:73) = 0
    call prif_sync_all()
    do i = 1, 10
      call prif_lock_indirect(1, address(1, 71))
      call prif_get_indirect(1, address(1, 73), c_loc(one), 8_c_size_t)
      one = one + 1
      call prif_put_indirect(1, address(1, 73), c_loc(one), 8_c_size_t)
      call prif_unlock_indirect(1, address(1, 71))
    end do
    call prif_event_post_indirect(right, address(right, 72))
    call prif_event_wait(c_loc(values(72)))
    call prif_event_query(c_loc(values(72)), posts)
    call require(posts == 0, 'events by an address')
    call prif_sync_all()
    if (me == 1) call require(values(73) == 10*images, 'counts behind a lock by an address')
  end subroutine

  subroutine add(a, b, count, data) bind(C)
    type(c_ptr), intent(in), value :: a, b, data
    integer(c_size_t), intent(in), value :: count
    integer(c_int64_t), pointer :: left(:), right(:)
    call c_f_pointer(a, left, [count])
    call c_f_pointer(b, right, [count])
    right = left + right
    if (c_associated(data)) right = 0
  end subroutine

  subroutine collectives
    character(2) :: name
    integer(c_int64_t), target :: numbers(4)
    procedure(prif_operation_wrapper_interface), pointer :: operation
    name = char(iachar('a') + me) // 'z'
    call prif_co_min_character(name)
    call require(name == 'bz', 'co_min of characters')
    numbers = [1, 2, 3, 4]*me
    operation => add
    call prif_co_reduce_cptr(c_loc(numbers), 8_c_size_t, 4_c_size_t, operation, c_null_ptr)
    call require(all(numbers == [1, 2, 3, 4]*images*(images + 1)/2), 'co_reduce by an address')
    numbers = me
    call prif_co_broadcast_cptr(c_loc(numbers(2)), 16_c_size_t, images)
    call require(all(numbers == [me, images, images, me]), 'co_broadcast by an address')
  end subroutine

  ! Cosubscripts of another team, by the team and by its number.
  subroutine indices
    type(prif_team_type) :: half, parent
    integer(c_int64_t) :: sub(1), number
    integer(c_int) :: index, members
    number = 1 + mod(me, 2)
    members = (images + mod(me, 2))/2
    call prif_form_team(number, half)
    sub = members
    call prif_image_index_with_team(handle, sub, half, index)
    call require(index == members, 'image_index in a team')
    sub = members + 1
    call prif_image_index_with_team(handle, sub, half, index)
    call require(index == 0, 'no image_index in a team')
    sub = members
    call prif_initial_team_index_with_team(handle, sub, half, index)
    call require(mod(index - me, 2) == 0 .and. index > images - 2, 'initial_team_index in a team')
    call prif_change_team(half)
    call prif_get_team(PRIF_PARENT_TEAM, parent)
    sub = images
    call prif_image_index_with_team(handle, sub, parent, index)
    call require(index == images, 'image_index in the parent team')
    sub = 1
    call prif_image_index_with_team_number(handle, sub, number, index)
    call require(index == 1, 'image_index by a number')
    call prif_initial_team_index_with_team_number(handle, sub, number, index)
    call require(index == merge(1, 2, mod(me, 2) == 1), 'initial_team_index by a number')
    call prif_end_team()
  end subroutine
end module

program procedures
  use checked
  implicit none
  integer(c_int) :: stat
  call prif_init(stat)
  call require(stat == 0 .or. stat == PRIF_STAT_ALREADY_INIT, 'start')  ! flang has started it already
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call begin
  call atoms_by_handle
  call atoms_by_address
  call puts_with_notification
  call locks_and_events
  call collectives
  call indices
  call prif_deallocate_coarrays([handle, notes])
  print '(a,i0)', 'each is called by image ', me
  call prif_stop(.true._c_bool)
end program
