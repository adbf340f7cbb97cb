
_kernelbatch_words() {  # candidates for the current word
  local each
  for each in $1; do
    [[ $each == "$word"* ]] && COMPREPLY+=("$each")
  done
}

_kernelbatch_ask() { _kernelbatch_words "$("$program" __words "$1" 2>/dev/null)"; }

_kernelbatch_files() {  # with one of these extensions; folders always
  local each ending
  compopt -o filenames 2>/dev/null
  while IFS= read -r each; do
    if [[ -d $each ]]; then
      COMPREPLY+=("$each")
      continue
    fi
    # shellcheck disable=SC2086  # words
    for ending in $1; do
      [[ $ending == any || $each == *."$ending" ]] && COMPREPLY+=("$each")
    done
  done < <(compgen -f -- "$word")
}

_kernelbatch() {
  # Words separated by blanks: bash would also split them at ':' and '='.
  local line=${COMP_LINE:0:COMP_POINT} words word program command='' option='' kept k
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  program=${words[0]} word=${words[-1]}
  for ((k = 1; k < ${#words[@]} - 1; ++k)); do
    option=''
    case ${words[k]} in
      -*) [[ " $(_kernelbatch_with_value "$command") " == *" ${words[k]} "* ]] && option=${words[k++]} ;;
      *) [[ -n $command ]] || command=${words[k]} ;;
    esac
  done
  # Only if the current word is the last option's value.
  ((k < ${#words[@]})) && option=''
  if [[ -z $option && $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=}
  fi
  COMPREPLY=()
  if [[ -n $option ]]; then
    _kernelbatch_value "$command" "$option"
  elif [[ $word == -* ]]; then
    _kernelbatch_words "$(_kernelbatch_options "$command")"
  else
    _kernelbatch_value "$command" ''
  fi
  # What bash replaces begins after the last of its breaks.
  local breaks=${COMP_WORDBREAKS//[^:=]/}
  [[ -z $breaks ]] && return
  # shellcheck disable=SC2295  # a set of characters
  kept=${word%"${word##*[$breaks]}"}
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

complete -F _kernelbatch kernelbatch
