! The Parallel Runtime Interface for Fortran, by hand: what a compiler would call.
!# images 1 2 5
!>* prif is well at image {i}
module checks
  use iso_c_binding
  use prif
  implicit none
  integer(c_int) :: me, images
  type(prif_coarray_handle) :: handle_of_critical
contains
  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) call prif_error_stop(.false._c_bool, stop_code_char=what)
  end subroutine

  subroutine bounds_and_aliases
    type(prif_coarray_handle) :: handle, alias
    type(c_ptr) :: memory, context
    integer(c_int64_t) :: at, low(2), high(2), mine(2)
    integer(c_int) :: found, number
    integer(c_size_t) :: bytes, sizes(2)
    integer(c_int64_t), pointer :: values(:)
    character(8), target :: kept
    call prif_allocate_coarray([0_c_int64_t, 3_c_int64_t], [1_c_int64_t], 80_c_size_t, c_null_funptr, handle, memory)
    call prif_size_bytes(handle, bytes)
    call require(bytes == 80, 'size')
    call prif_lcobound_with_dim(handle, 2, at)
    call require(at == 3, 'lcobound')
    call prif_lcobound_no_dim(handle, low)
    call prif_ucobound_no_dim(handle, high)
    call prif_coshape(handle, sizes)
    call require(all(low == [0, 3]) .and. all(high == [1, 3 + (images + 1)/2 - 1]), 'cobounds')
    call require(all(sizes == [2, (images + 1)/2]), 'coshape')
    call prif_ucobound_with_dim(handle, 1, at)
    call require(at == 1, 'ucobound')
    call prif_this_image_with_coarray(handle, cosubscripts=mine)
    call require(all(mine == [mod(me - 1, 2), 3 + (me - 1)/2]), 'this_image of a coarray')
    call prif_this_image_with_dim(handle, 2, cosubscript=at)
    call require(at == mine(2), 'this_image of a codimension')
    call prif_image_index(handle, mine, found)
    call prif_initial_team_index(handle, mine, number)
    call require(found == me .and. number == me, 'image_index')
    call prif_image_index(handle, [2_c_int64_t, 3_c_int64_t], found)
    call require(found == 0, 'no image_index')
    call prif_image_index(handle, [0_c_int64_t, 3_c_int64_t + images], found)
    call require(found == 0, 'no image_index beyond the images')

    kept = 'context'
    call prif_set_context_data(handle, c_loc(kept))
    call prif_alias_create(handle, [1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, alias)
    call prif_get_context_data(alias, context)
    call require(c_associated(context, c_loc(kept)), 'context')
    call prif_local_data_pointer(alias, context)
    call c_f_pointer(memory, values, [10])
    values = 10*me
    call require(c_associated(context, c_loc(values(2))), 'local data of an alias')
    call prif_sync_all()
    values(2) = me
    call prif_sync_all()
    call prif_get(next(), alias, 0_c_size_t, c_loc(at_target(1)), 8_c_size_t)
    call require(all(at_target(1) == next()), 'get by an alias')
    call prif_alias_destroy(alias)
    call prif_sync_all()
    call prif_deallocate_coarray(handle)
  end subroutine

  subroutine make_critical
    type(c_ptr) :: memory
    type(prif_critical_type), pointer :: word
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, c_null_funptr, handle_of_critical, &
                               memory)
    call c_f_pointer(memory, word)
    word = prif_critical_type()
    call prif_sync_all()
  end subroutine

  integer(c_int) function next()
    next = mod(me, images) + 1
  end function
  integer(c_int) function before()
    before = mod(me + images - 2, images) + 1
  end function
  function at_target(count) result(values)
    integer, intent(in) :: count
    integer(c_int64_t), pointer :: values(:)
    integer(c_int64_t), target, save :: kept(100)
    values => kept(:count)
  end function

  subroutine access
    type(prif_coarray_handle) :: handle, notes
    type(c_ptr) :: memory, note, others
    integer(c_int64_t), pointer :: values(:), mine(:)
    integer(c_intptr_t) :: address
    integer(c_int) :: stat
    character(60) :: message
    character(:), allocatable :: own_message
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 800_c_size_t, c_null_funptr, handle, memory)
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, c_null_funptr, notes, note)
    call c_f_pointer(memory, values, [100])
    values = 0
    call new_notes
    call prif_sync_all()
    mine => at_target(4)
    mine = [1, 2, 3, 4]*me
    call prif_put_with_notify(next(), handle, 16_c_size_t, c_loc(mine), 32_c_size_t, notes, 0_c_size_t)
    call prif_notify_wait(note)
    call require(all(values(3:6) == [1, 2, 3, 4]*before()) .and. values(2) == 0, 'put with notify')
    call prif_sync_all()
    ! values(11:31:10) of the next image become mine(1:3); another image reads them backwards.
    call prif_put_strided_with_notify(next(), handle, 80_c_size_t, [80_c_ptrdiff_t], c_loc(mine), [8_c_ptrdiff_t], &
                                      8_c_size_t, [3_c_size_t], notes, 0_c_size_t)
    call prif_notify_wait(note, 1_c_int64_t)
    call require(all(values(11:31:10) == [1, 2, 3]*before()) .and. values(12) == 0, 'strided put')
    call prif_sync_all()
    call prif_get_strided(next(), handle, 240_c_size_t, [-80_c_ptrdiff_t], c_loc(mine), [8_c_ptrdiff_t], 8_c_size_t, &
                          [3_c_size_t])
    call require(all(mine(1:3) == [3, 2, 1]*me), 'strided get')
    ! By addresses, which one image tells another.
    call prif_allocate(64_c_size_t, others)
    values(50) = transfer(others, values(50))
    call prif_sync_all()
    call prif_get(next(), handle, 49*8_c_size_t, c_loc(mine), 8_c_size_t)
    address = mine(1)
    mine(2) = 7*me
    call prif_put_indirect(next(), address, c_loc(mine(2)), 8_c_size_t)
    call prif_sync_all()
    call c_f_pointer(others, values, [8])
    call require(values(1) == 7*before(), 'put by an address')
    call prif_get_indirect(next(), address, c_loc(mine(3)), 8_c_size_t)
    call require(mine(3) == 7*me, 'get by an address')
    call prif_sync_all()
    call prif_deallocate(others)
    call prif_put(images + 1, handle, 0_c_size_t, c_loc(mine), 8_c_size_t, stat, message, own_message)
    call require(stat /= 0 .and. index(message, 'none of the') > 0 .and. own_message == trim(message), 'no such image')
    call prif_get(me, handle, 796_c_size_t, c_loc(mine), 8_c_size_t, stat, message)
    call require(stat /= 0 .and. index(message, 'not in the coarray') > 0, 'bytes behind the end')
    call prif_deallocate_coarrays([handle, notes])
  contains
    subroutine new_notes
      type(prif_notify_type), pointer :: it
      call c_f_pointer(note, it)
      it = prif_notify_type()
    end subroutine
  end subroutine

  subroutine waiting
    type(prif_coarray_handle) :: handle
    type(c_ptr) :: memory
    integer(c_int64_t), pointer :: words(:)
    integer(c_int64_t) :: count, old
    integer(c_int) :: stat
    logical(c_bool) :: acquired
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: was
    integer :: i
    ! Four words: an event, a lock, a critical construct's, and an atomic variable.
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 40_c_size_t, c_null_funptr, handle, memory)
    call c_f_pointer(memory, words, [5])
    words = 0
    call prif_sync_all()
    do i = 1, 3
      call prif_event_post(next(), handle, 0_c_size_t)
    end do
    call prif_event_wait(memory, 2_c_int64_t)
    call prif_event_wait(memory)
    call prif_event_query(memory, count)
    call require(count == 0, 'events')
    call prif_sync_all()
    do i = 1, 20
      call prif_lock(1, handle, 8_c_size_t)
      call prif_get(1, handle, 32_c_size_t, c_loc(at_target(1)), 8_c_size_t)
      old = own(1)
      call prif_put(1, handle, 32_c_size_t, c_loc(at_target(1)), 8_c_size_t)
      call prif_unlock(1, handle, 8_c_size_t)
      call prif_atomic_add(1, handle, 24_c_size_t, 1_c_int64_t)
    end do
    call prif_sync_all()
    call prif_get(1, handle, 32_c_size_t, c_loc(at_target(1)), 8_c_size_t)
    call prif_atomic_ref_int(1, handle, 24_c_size_t, count)
    words => at_target(1)
    call require(words(1) == 20*images .and. count == 20*images, 'locked and atomic counts')
    call prif_sync_all()
    call prif_unlock(1, handle, 8_c_size_t, stat)
    call require(stat == PRIF_STAT_UNLOCKED, 'stat of unlock')
    call prif_sync_all()
    if (me == 1) call prif_lock(1, handle, 8_c_size_t)
    call prif_sync_all()
    if (me == 1) then
      call prif_lock(1, handle, 8_c_size_t, stat=stat)
      call require(stat == PRIF_STAT_LOCKED, 'locked twice')
    else
      call prif_unlock(1, handle, 8_c_size_t, stat)
      call require(stat == PRIF_STAT_LOCKED_OTHER_IMAGE, 'locked by another one')
      call prif_lock(1, handle, 8_c_size_t, acquired)
      call require(.not. logical(acquired), 'acquired')
    end if
    call prif_sync_all()
    if (me == 1) call prif_unlock(1, handle, 8_c_size_t)
    call prif_critical(handle_of_critical)
    call prif_end_critical(handle_of_critical)
    call prif_sync_all()
    if (me == 1) call prif_atomic_define_logical(1, handle, 24_c_size_t, .true._PRIF_ATOMIC_LOGICAL_KIND)
    call prif_sync_all()
    call prif_atomic_cas_logical(1, handle, 24_c_size_t, was, .true._PRIF_ATOMIC_LOGICAL_KIND, &
                                 .false._PRIF_ATOMIC_LOGICAL_KIND)
    call prif_atomic_fetch_or(1, handle, 32_c_size_t, 0_c_int64_t, old)
    call require(old == 20*images, 'fetch_or')
    count = merge(1, 0, was)
    call prif_co_sum(count)
    call require(count == 1, 'compare and swap')
    call prif_deallocate_coarray(handle)
  contains
    integer(c_int64_t) function own(step)
      integer, intent(in) :: step
      integer(c_int64_t), pointer :: value(:)
      value => at_target(1)
      own = value(1)
      value(1) = value(1) + step
    end function
  end subroutine
end module

module more_checks
  use checks
  implicit none
  type, bind(C) :: pair
    integer(c_int) :: least
    real(c_float) :: sum
  end type
  integer :: ended = 0
  logical :: refuses = .false.
contains
  subroutine combine(a, b, count, data) bind(C)
    type(c_ptr), intent(in), value :: a, b, data
    integer(c_size_t), intent(in), value :: count
    type(pair), pointer :: left(:), right(:)
    call c_f_pointer(a, left, [count])
    call c_f_pointer(b, right, [count])
    right%least = min(left%least, right%least)
    right%sum = left%sum + right%sum
    if (.not. c_associated(data)) right%sum = -1
  end subroutine

  subroutine collectives
    integer(c_int) :: whole
    real(8) :: grid(4, 5)
    complex :: z
    character(3) :: name
    type(pair), target :: pairs(3)
    logical :: flag
    integer(c_int) :: stat
    procedure(prif_operation_wrapper_interface), pointer :: operation
    whole = me
    call prif_co_min(whole)
    call require(whole == 1, 'co_min')
    whole = me
    call prif_co_max(whole, result_image=1)
    if (me == 1) call require(whole == images, 'co_max at an image')
    grid = me
    call prif_co_sum(grid(1:4:3, 2:5:2))
    call require(grid(1, 2) == images*(images + 1)/2 .and. grid(4, 4) == grid(1, 2) .and. grid(2, 2) == me, 'co_sum')
    z = cmplx(me, -me)
    call prif_co_sum(z)
    call require(z == cmplx(1, -1)*(images*(images + 1)/2), 'co_sum of complex numbers')
    name = 'i' // char(iachar('0') + me) // 'x'
    call prif_co_max_character(name)
    call require(name == 'i' // char(iachar('0') + images) // 'x', 'co_max of characters')
    flag = me == images
    call prif_co_broadcast(flag, images)
    call require(flag, 'co_broadcast')
    pairs%least = [me, -me, 7]
    pairs%sum = me
    operation => combine
    call prif_co_reduce(pairs, operation, c_loc(pairs))
    call require(all(pairs%least == [1, -images, 7]) .and. all(pairs%sum == images*(images + 1)/2), 'co_reduce')
    call prif_co_broadcast_cptr(c_loc(pairs), 24_c_size_t, 1)
    call prif_co_sum(whole, result_image=images + 1, stat=stat)
    call require(stat /= 0, 'no result image')
    call prif_co_sum(name, stat=stat)
    call require(stat /= 0, 'co_sum of characters')
  end subroutine

  subroutine count_end(handle, stat, message) bind(C)
    type(prif_coarray_handle), pointer, intent(in) :: handle
    integer(c_int), intent(out) :: stat
    character(len=:, kind=c_char), allocatable, intent(out) :: message
    integer(c_size_t) :: bytes
    call prif_size_bytes(handle, bytes)
    ended = ended + int(bytes)
    stat = 0
    if (bytes == 24 .or. (bytes == 32 .and. refuses)) then
      stat = 33
      message = 'not yet'
    end if
  end subroutine

  subroutine teams
    type(prif_team_type) :: half, parent
    type(prif_coarray_handle) :: handle, other
    type(c_ptr) :: memory
    integer(c_int64_t) :: number
    integer(c_int) :: count, mine, stat, index
    integer(c_int), allocatable :: gone(:)
    character(:), allocatable :: message
    type(c_funptr) :: at_end
    at_end = c_funloc(count_end)
    ! One image alone chooses wrongly, and nobody waits for it.
    call prif_form_team(merge(0_c_int64_t, 1_c_int64_t, me == 1), half, stat=stat, errmsg_alloc=message)
    call require(stat /= 0 .and. index_of(message, 'team number 0 is not positive, which image 1') > 0, 'number 0')
    call prif_form_team(merge(2_c_int64_t**31, 1_c_int64_t, me == images), half, stat=stat, errmsg_alloc=message)
    call require(stat /= 0 .and. index_of(message, 'too large') > 0, 'number 2^31')
    count = (images + mod(me, 2))/2
    index = count - (me - 1)/2
    call prif_form_team(int(1 + mod(me, 2), c_int64_t), half, index, stat)
    call require(stat == 0, 'form_team')
    call prif_team_number(team_number=number)
    call require(number == -1, 'number of the initial team')
    call prif_change_team(half)
    call prif_num_images(mine)
    call require(mine == count, 'images of the team')
    call prif_this_image_no_coarray(this_image=mine)
    call require(mine == index, 'new_index')
    call prif_team_number(half, number)
    call require(number == 1 + mod(me, 2), 'number of the team')
    call prif_get_team(PRIF_PARENT_TEAM, parent)
    call prif_this_image_no_coarray(parent, mine)
    call require(mine == me, 'image of the parent team')
    call prif_num_images_with_team(parent, mine)
    call require(mine == images, 'images of the parent team')
    if (images > 1) then
      call prif_num_images_with_team_number(int(2 - mod(me, 2), c_int64_t), mine)
      call require(mine == images - count, 'images of a sibling')
    end if
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, at_end, handle, memory)
    call prif_initial_team_index(handle, [int(index, c_int64_t)], mine)
    call require(mine == me, 'index in the initial team')
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 16_c_size_t, at_end, other, memory)
    call prif_deallocate_coarray(other)
    call require(ended == 16, 'final procedure')
    call prif_sync_team(half)
    call prif_failed_images(failed_images=gone)
    call require(size(gone) == 0, 'failed images')
    call prif_stopped_images(half, gone)
    call require(size(gone) == 0, 'stopped images')
    call prif_image_status(1, image_status=stat)
    call require(stat == 0, 'image_status')
    call prif_end_team()
    call require(ended == 24, 'end of coarrays with their team')
    call prif_change_team(parent, stat, errmsg_alloc=message)
    call require(stat /= 0 .and. index_of(message, 'not formed') > 0, 'change to another team')
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 24_c_size_t, at_end, handle, memory)
    call prif_deallocate_coarray(handle, stat, errmsg_alloc=message)
    call require(stat == 33 .and. index_of(message, 'not yet') > 0, 'final procedure that refuses')
    ! That of one image alone refuses, and the others do not wait for it.
    refuses = me == images
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 32_c_size_t, at_end, handle, memory)
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 8_c_size_t, at_end, other, memory)
    call prif_deallocate_coarrays([handle, other], stat)
    call require(stat == merge(33, 0, refuses), 'final procedure of one image')
    call prif_change_team(half)
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 32_c_size_t, at_end, handle, memory)
    call prif_end_team(stat)
    call require(stat == merge(33, 0, refuses), 'final procedure of one image at the end of a team')
    call prif_get_team(team=parent)
    call prif_num_images_with_team(parent, mine)
    call require(mine == images, 'the team has ended')
    refuses = .false.
  end subroutine
  integer function index_of(text, part)
    character(*), intent(in) :: text, part
    index_of = index(text, part)
  end function

  subroutine say_end(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    if (is_error_stop) return
    if (quiet .and. .not. present(stop_code_int) .and. present(stop_code_char)) print '(a,i0)', stop_code_char, me
  end subroutine
end module

program everything
  use more_checks
  implicit none
  integer(c_int) :: stat
  procedure(prif_stop_callback_interface), pointer :: callback
  call prif_init(stat)
  call prif_init(stat)
  call require(stat == PRIF_STAT_ALREADY_INIT, 'started twice')
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call bounds_and_aliases
  call access
  call make_critical
  call waiting
  call collectives
  call teams
  if (images > 2) call prif_sync_images([next(), before()])
  call prif_sync_images()
  call prif_sync_memory()
  call prif_sync_images([images + 1], stat)
  call require(stat /= 0, 'sync with no image')
  callback => say_end
  call prif_register_stop_callback(callback)
  call prif_stop(.true._c_bool, stop_code_char='prif is well at image ')
end program
