import { files } from './complete-words.ts';

/** The scripts only pass on the words: what fits is decided by `framehold completion words`, the same for every shell. */
const bash = `# framehold completion bash
_framehold() {
  local IFS=$'\\n'
  COMPREPLY=($(framehold completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${COMPREPLY[0]}" = '${files}' ]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
  fi
}
complete -F _framehold framehold
`;

const zsh = `#compdef framehold
# framehold completion zsh
_framehold() {
  local -a found
  found=("\${(@f)$(framehold completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == '${files}' ]]; then
    _files
  elif [[ -n "\${found[1]}" ]]; then
    compadd -- "\${found[@]}"
  fi
}
if [[ "\${funcstack[1]}" == _framehold ]]; then
  _framehold "$@"
else
  compdef _framehold framehold
fi
`;

const fish = `# framehold completion fish
function __framehold_complete
    set -l line (commandline -opc) (commandline -ct)
    set -l found (framehold completion words -- $line[2..-1] 2>/dev/null)
    if test "$found[1]" = '${files}'
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $found
    end
end
complete -c framehold -f -a '(__framehold_complete)'
`;

export const shellScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
