! Collectives with `result_image`: only that image's argument is defined
!# images 3 4
!>* ok {i}
program co_results
  implicit none
  integer :: a, b(3), c, n, s, me, i
  character(3) :: t
  me = this_image()
  n = num_images()
  s = n*(n + 1)/2
  do i = 1, n
    a = me
    b = [me, -me, 2*me]
    c = mod(me + i, n)
    t = 'x'//achar(96 + me)
    call co_sum(a, result_image=i)
    call co_max(b, result_image=i)
    call co_min(c, result_image=i)
    call co_max(t, result_image=i)
    if (me == i .and. (a /= s .or. any(b /= [n, -1, 2*n]) .or. c /= 0 .or. t /= 'x'//achar(96 + n))) error stop 'result'
    sync all
  end do
  print '(a,i0)', 'ok ', me
end program
