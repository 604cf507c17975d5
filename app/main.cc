#include "app/command.h"

int main(int argc, char** argv) { return frostline::app::run_command(argc, argv); }
