! this_image, num_images, image_index, lcobound, ucobound, this_image(coarray)
!# images 1 2 3 4 8
!>* image {i} of {n}
program images_numbers
  implicit none
  integer :: a[*], b(2)[0:*], c[2,*]
  integer :: me, n
  me = this_image()
  n = num_images()
  if (me < 1 .or. me > n) error stop 'number'
  if (this_image(a, 1) /= me) error stop 'this_image(a)'
  if (this_image(b, 1) /= me - 1) error stop 'this_image(b)'
  if (any(this_image(c) /= [mod(me - 1, 2) + 1, (me - 1)/2 + 1])) error stop 'this_image(c)'
  if (image_index(b, [n - 1]) /= n) error stop 'image_index'
  if (image_index(b, [n]) /= 0) error stop 'image_index beyond'
  if (image_index(c, [2, 1]) /= merge(2, 0, n >= 2)) error stop 'image_index(c)'
  if (lcobound(b, 1) /= 0 .or. ucobound(b, 1) /= n - 1) error stop 'cobounds'
  print '(a,i0,a,i0)', 'image ', me, ' of ', n
end program
