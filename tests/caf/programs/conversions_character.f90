! Characters: shorter, longer, of both kinds, scalars and arrays
!# images 2
!>* ok {i}
program conversions_character
  implicit none
  character(5) :: a[*], r(3)[*]
  character(4, kind=4) :: w(3)[*]
  character(3) :: short, shorts(3)
  character(8) :: long, longs(3)
  character(6, kind=4) :: wide(3)
  integer :: o
  o = mod(this_image(), num_images()) + 1
  a = 'ab' // char(48 + this_image()) // 'yz'
  r = ['one  ', 'two  ', 'three']
  w = [4_'un  ', 4_'deux', 4_'troi']
  sync all
  short = a[o]; if (short /= 'ab' // char(48 + o)) error stop 'shorter'
  long = a[o]; if (long /= 'ab' // char(48 + o) // 'yz   ') error stop 'longer'
  shorts = r(:)[o]; if (any(shorts /= ['one', 'two', 'thr'])) error stop 'array shorter'
  longs = r(3:1:-1)[o]; if (any(longs /= ['three   ', 'two     ', 'one     '])) error stop 'array longer'
  wide = w(:)[o]; if (any(wide /= [4_'un    ', 4_'deux  ', 4_'troi  '])) error stop 'kind 4'
  sync all
  a[o] = 'x'
  r(1:2)[o] = ['abcdefgh', 'ijklmnop']
  r(3)[o] = ''
  w(2)[o] = 4_'q'
  sync all
  if (a /= 'x    ' .or. any(r /= ['abcde', 'ijklm', '     ']) .or. w(2) /= 4_'q   ') error stop 'put'
  print '(a,i0)', 'ok ', this_image()
end program
