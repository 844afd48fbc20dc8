#!/usr/bin/perl
# Kernel interfaces that a shell cannot reach, one a call: probe.pl NAME [ARG...].
# Prints what it found; a status other than 0 says that it failed.
use strict;
use warnings;

$^F = 1023;    # descriptors opened here are passed on to programs

my ($memfd_create, $openat2, $landlock_create_ruleset) = (319, 437, 444);

sub memfd {
    my ($path) = @_;
    my $fd = syscall($memfd_create, my $name = 'probe', 0);
    die "memfd_create: $!\n" if $fd < 0;
    open my $from, '<', $path or die "$path: $!\n";
    open my $to, '>&=', $fd or die "memfd: $!\n";
    local $/;
    print $to <$from>;
    $to->flush;
    chmod 0755, $to;
    return $to;
}

my %probe = (

    # openat2(BENEATH) must refuse a path that leaves the directory, with EXDEV.
    openat2 => sub {
        my $how = pack 'QQQ', 0, 0, 0x08;
        open my $dir, '<', '/usr' or die "/usr: $!\n";
        my $fd = syscall($openat2, fileno $dir, my $in = 'bin', $how, length $how);
        die "openat2 inside: $!\n" if $fd < 0;
        $fd = syscall($openat2, fileno $dir, my $out = '../etc', $how, length $how);
        die "openat2 did not refuse an escape with EXDEV: $!\n" unless $fd < 0 && $! == 18;
        print "openat2 works\n";
    },

    landlock => sub {
        my $abi = syscall($landlock_create_ruleset, 0, 0, 1);
        die "landlock: $!\n" if $abi < 0;
        print "$abi\n";
    },

    # exec-fd file|memfd PROGRAM COMMAND...: opens descriptors 3 to 20 and PROGRAM at
    # 20, runs COMMAND, in which @FD@ stands for the path of that descriptor.
    'exec-fd' => sub {
        my ($kind, $program, @command) = @_;
        my @held;
        while (1) {
            open my $held, '<', '/dev/null' or die "/dev/null: $!\n";
            push @held, $held;
            last if fileno $held == 19;
        }
        if ($kind eq 'memfd') {
            push @held, memfd($program);
        }
        else {
            open my $file, '<', $program or die "$program: $!\n";
            push @held, $file;
        }
        my $fd = fileno $held[-1];
        die "program is at $fd\n" unless $fd == 20;
        s{\@FD\@}{/proc/self/fd/$fd} for @command;
        exec @command or die "$command[0]: $!\n";
    },
);

my $name = shift @ARGV // '';
die "no such probe: $name\n" unless $probe{$name};
$probe{$name}->(@ARGV);
