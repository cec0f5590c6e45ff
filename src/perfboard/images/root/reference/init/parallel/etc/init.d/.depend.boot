TARGETS = S10filesystems S20devices S25terminals S30ethernet S40syslog S50misc S60application S70copy S99usable
S20devices: S10filesystems
S25terminals: S20devices
S30ethernet: S10filesystems
S40syslog: S20devices
S50misc: S10filesystems
S60application: S20devices
S70copy: S10filesystems
S99usable: S25terminals S30ethernet S40syslog S50misc S60application S70copy
