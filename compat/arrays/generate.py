"""Writes the Fortran module armature_arrays: generate.py FILE. What there is for each type and rank of values
is made from one text each; the rest stands in module.f90.in."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
RANKS = range(8)
TYPES = {"int32": "integer(int32)", "int64": "integer(int64)", "real32": "real(real32)", "real64": "real(real64)",
         "complex32": "complex(real32)", "complex64": "complex(real64)"}

# Values of one rank, and a section of the array.
TRANSFER = """\
  subroutine {verb}_{type}_{rank}(this, values, where{scale_name}, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent({intent}), target{contiguous} :: values{colons}
    type(section), intent(in), optional, target :: where
{scale_declaration}    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    type(c_ptr) :: section_at, scale_at
    section_at = c_null_ptr
    if (present(where)) section_at = c_loc(where)
    scale_at = c_null_ptr
{scale_place}    call c_transfer(this%handle, {code}, section_at, array_{type}, c_loc(values), &
                    {size}, scale_at, status)
    call settle('{verb}', status, stat, errmsg)
  end subroutine
"""

# A block as a pointer, with the bounds of the array.
LOCAL = """\
  subroutine local_{type}_{rank}(this, block, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, pointer, intent(out) :: block{colons}
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    {declaration}, pointer :: plain{colons}
    type(status_t) :: status
    type(c_ptr) :: memory
    integer(int64) :: lower(8), upper(8)
    nullify (block)
    call c_local(this%handle, array_{type}, {rank}, memory, lower, upper, status)
    if (status%code == 0) then
      call c_f_pointer(memory, plain, upper(1:{rank}) - lower(1:{rank}) + 1)
      block({bounds}) => plain
    end if
    call settle('local', status, stat, errmsg)
  end subroutine
"""

# One value of each type.
VALUES = """\
  subroutine fill_{type}(this, value, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent(in), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    call c_fill(this%handle, array_{type}, c_loc(value), status)
    call settle('fill', status, stat, errmsg)
  end subroutine
  subroutine scale_{type}(this, by, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent(in), target :: by
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    call c_scale(this%handle, array_{type}, c_loc(by), status)
    call settle('scale', status, stat, errmsg)
  end subroutine
  subroutine add_{type}(this, alpha, a, beta, b, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent(in), target :: alpha, beta
    type(distributed_array), intent(in) :: a, b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    call c_add(this%handle, array_{type}, c_loc(alpha), a%handle, c_loc(beta), b%handle, status)
    call settle('add', status, stat, errmsg)
  end subroutine
  subroutine sum_{type}(this, total, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent(out), target :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    total = 0
    call c_sum(this%handle, array_{type}, c_loc(total), status)
    call settle('sum_all', status, stat, errmsg)
  end subroutine
  subroutine dot_{type}(this, other, product, stat, errmsg)
    class(distributed_array), intent(in) :: this
    type(distributed_array), intent(in) :: other
    {declaration}, intent(out), target :: product
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    product = 0
    call c_dot(this%handle, other%handle, array_{type}, c_loc(product), status)
    call settle('dot', status, stat, errmsg)
  end subroutine
"""
EXTREME = """\
  subroutine {name}_{type}(this, value, place, stat, errmsg)
    class(distributed_array), intent(in) :: this
    {declaration}, intent(out), target :: value
    integer(int64), intent(out), optional :: place(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(status_t) :: status
    integer(int64) :: at(8)
    value = 0
    at = 0
    call c_extreme(this%handle, {is_largest}, array_{type}, c_loc(value), at, status)
    if (present(place)) place = at(1:size(place))
    call settle('{name}', status, stat, errmsg)
  end subroutine
"""
VERBS = {"put": ("verb_put", "in"), "get": ("verb_get", "inout"), "accumulate": ("verb_accumulate", "in")}


def colons(rank):
    return "(" + ", ".join([":"] * rank) + ")" if rank else ""


def transfers(verb):
    code, intent = VERBS[verb]
    has_scale = verb == "accumulate"
    for type_, declaration in TYPES.items():
        for rank in RANKS:
            yield f"{verb}_{type_}_{rank}", TRANSFER.format(
                verb=verb, type=type_, rank=rank, declaration=declaration, intent=intent, code=code, colons=colons(rank),
                contiguous=", contiguous" if rank else "", size="size(values, kind=int64)" if rank else "1_int64",
                scale_name=", scale" if has_scale else "",
                scale_declaration=f"    {declaration}, intent(in), optional, target :: scale\n" if has_scale else "",
                scale_place="    if (present(scale)) scale_at = c_loc(scale)\n" if has_scale else "")


def locals_():
    for type_, declaration in TYPES.items():
        for rank in RANKS[1:]:
            bounds = ", ".join(f"lower({d}):" for d in range(1, rank + 1))
            yield f"local_{type_}_{rank}", LOCAL.format(type=type_, rank=rank, declaration=declaration,
                                                        colons=colons(rank), bounds=bounds)


def extremes(name, is_largest):
    for type_, declaration in TYPES.items():
        if not type_.startswith("complex"):
            yield f"{name}_{type_}", EXTREME.format(name=name, type=type_, declaration=declaration,
                                                    is_largest=is_largest)


def generic(name, specifics):
    """The binding of one name to many procedures, in lines that are short enough."""
    lines = [f"    procedure, private :: {one}" for one in specifics]
    for one in specifics:
        lines.append(f"    generic :: {name} => {one}")
    return lines


def main():
    bindings, bodies = [], []
    for name, made in [("put", transfers("put")), ("get", transfers("get")), ("accumulate", transfers("accumulate")),
                       ("local", locals_()), ("minimum", extremes("minimum", 0)), ("maximum", extremes("maximum", 1))]:
        pairs = list(made)
        bindings += generic(name, [one for one, _ in pairs])
        bodies += [body for _, body in pairs]
    for public, name in [("fill", "fill"), ("scale", "scale"), ("add", "add"), ("sum_all", "sum"), ("dot", "dot")]:
        bindings += generic(public, [f"{name}_{type_}" for type_ in TYPES])
    bodies += [VALUES.format(type=type_, declaration=declaration) for type_, declaration in TYPES.items()]
    text = (HERE / "module.f90.in").read_text()
    text = text.replace("@bindings@", "\n".join(bindings)).replace("@bodies@", "\n".join(bodies))
    pathlib.Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(sys.argv[1]).write_text(text)


if __name__ == "__main__":
    main()
