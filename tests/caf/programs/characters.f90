! Characters: substrings, different lengths, and kind 4
!# images 2
!>* ok {i}
program characters
  implicit none
  integer, parameter :: wide = selected_char_kind('ISO_10646')
  character(8) :: c[*], d(3)[*]
  character(4, kind=wide) :: w(2)[*]
  character(3) :: short
  character(12) :: long
  integer :: me, o
  me = this_image()
  o = 3 - me
  c = 'abcdefg'//achar(48 + me)
  d = ['one     ', 'two     ', 'three   ']
  d(2) = 'im'//achar(48 + me)
  w = [wide_'ab  ', wide_'cd  ']
  sync all
  short = c[o]
  long = c[o]
  if (short /= 'abc' .or. long /= 'abcdefg'//achar(48 + o)//'    ') error stop 'lengths'
  if (d(2)[o] /= 'im'//achar(48 + o) .or. d(3)[o] /= 'three') error stop 'elements'
  if (w(2)[o] /= wide_'cd') error stop 'wide'
  long = trim(d(3)[o])//c[o]
  if (long /= 'threeabcdefg') error stop 'joined'
  sync all
  c[o] = 'xy'
  d(1:2)[o] = ['p', 'q']
  w(1)[o] = wide_'z'
  sync all
  if (c /= 'xy' .or. any(d /= ['p    ', 'q    ', 'three']) .or. w(1) /= wide_'z') error stop 'written'
  print '(a,i0)', 'ok ', me
end program
