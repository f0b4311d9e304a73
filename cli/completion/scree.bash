# bash completion for scree. Solver names come from the command itself.
_scree_solvers() {
  local prefix="" last=$1
  if [[ $last == *,* ]]; then
    prefix=${last%,*},
    last=${last##*,}
  fi
  local name
  COMPREPLY=()
  while read -r name; do
    COMPREPLY+=("$prefix$name")
  done < <(compgen -W "all $("${COMP_WORDS[0]}" list solvers --names 2>/dev/null)" -- "$last")
}

_scree() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "run resume check import solve render plot view export info statics modes fmu verify salvage sweep calibrate bench generate list doctor help --help --version" -- "$current")
    return
  fi
  case $previous in
    --solver | --solvers) _scree_solvers "$current"; return ;;
    --model) mapfile -t COMPREPLY < <(compgen -W "relaxed coulomb" -- "$current"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W "auto material kind body plain speed spin vx vy vz force contacts height size mass energy" -- "$current"); return ;;
    --map) mapfile -t COMPREPLY < <(compgen -W "deep heat balance" -- "$current"); return ;;
    --frames | --precision | --port) return ;;
    --html) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --bodies) [[ $verb == export ]] && return; mapfile -t COMPREPLY < <(compgen -W "solid ghost hidden" -- "$current"); return ;;
    --background) mapfile -t COMPREPLY < <(compgen -W "studio white dark" -- "$current"); return ;;
    --masses) mapfile -t COMPREPLY < <(compgen -W "equal top random" -- "$current"); return ;;
    --out | --plot | --export-to | --scene | --library) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "vtkhdf csv" -- "$current"); return ;;
    --what)
      if [[ $verb == plot ]]; then
        mapfile -t COMPREPLY < <(compgen -W "energy contacts residual penetration iterations bodies seconds" -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -W "bodies contacts steps surfaces" -- "$current")
      fi
      return ;;
    --meshes) mapfile -t COMPREPLY < <(compgen -W "hulls exact" -- "$current"); return ;;
    --from | --to | --every | --measure | --fit | --target | --jobs | --window | --runs | --scan | --count) return ;;
    --tol | --tol-residual | --duration | --density | --keyframe | --export-problem | --max-iter | --time-limit | --set | --threads | --device | --device-blocks | --repeat | --spheres | \
      --size | --frame | --time | --sheet | --ghosts | --start | --stop | --fps | --speed | --samples | --range | --cut | --camera | --caption | --mu | --mass-ratio | --rolling | --spinning | --compliance | --seed) return ;;
  esac
  local options=--help
  case $verb in
    run) options+=" --out --force --duration --from --threads --device --device-blocks --solver --model --set --json --export-problem --export-to --view --port --safe --strict" ;;
    resume) options+=" --duration --threads --device --device-blocks --export-problem --export-to --json --strict --force" ;;
    check) options+=" --set --threads --json --safe --schema --reference" ;;
    import) options+=" --out --allow-unsupported --fixed-base --self-collide --density --meshes --keyframe --json --safe --force" ;;
    solve) options+=" --solver --tol --tol-residual --max-iter --time-limit --model --set --warm-start --threads --device --device-blocks --json --check-existence --out --plot --strict --verbose --force" ;;
    render) options+=" --out --frame --time --sheet --start --stop --fps --speed --size --samples --color --range --map --chains --bodies --cut --camera --background --caption --ghosts --joints --trails --arrows --ground --no-grid --no-legend --no-shadows --draft --threads --json --force" ;;
    plot) options+=" --what --out --from --to --force" ;;
    view) options+=" --port --threads" ;;
    export) options+=" --format --out --what --surface --html --frames --bodies --precision --no-contacts --from --to --every --threads --json --force" ;;
    salvage) options+=" --out --scene --force --json" ;;
    fmu) options+=" --out --set --library --force --json --safe" ;;
    statics) options+=" --set --tol --max-iter --threads --json --safe" ;;
    modes) options+=" --set --count --static --shapes --threads --json --safe" ;;
    verify) options+=" --json" ;;
    info) options+=" --json --threads" ;;
    sweep) options+=" --set --measure --out --jobs --threads --window --record --force --json" ;;
    calibrate) options+=" --fit --target --set --runs --tol --scan --out --jobs --threads --window --record --force --json" ;;
    bench) options+=" --solvers --tol --tol-residual --max-iter --time-limit --model --set --threads --device --device-blocks --repeat --out --json --force" ;;
    generate) options+=" --out --spheres --size --mu --frictionless --masses --mass-ratio --rolling --spinning --compliance --seed --json --force" ;;
    list) options+=" --json --names" ;;
    doctor) options+=" --json --threads" ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $verb in
    list) mapfile -t COMPREPLY < <(compgen -W "solvers sets steppers linear-solvers sheet scenes verbs units devices" -- "$current") ;;
    generate) mapfile -t COMPREPLY < <(compgen -W "packing" -- "$current") ;;
    help) mapfile -t COMPREPLY < <(compgen -W "run resume check import solve render plot view export info statics modes fmu verify salvage sweep calibrate bench generate list doctor" -- "$current") ;;
    run | check | sweep | calibrate | info | statics | modes | fmu)
      mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" list scenes --names 2>/dev/null)" -- "$current"
                               compgen -f -- "$current") ;;
    resume | import | verify | salvage | solve | render | plot | view | export | bench) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _scree scree
