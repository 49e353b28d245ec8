// Compiled and linked, never run, when CMake configures: does the installed SystemC agree with our language level?
#include <systemc>

SC_MODULE(Probe) {
    sc_core::sc_in<bool> clock;

    SC_CTOR(Probe) {
        SC_METHOD(step);
        sensitive << clock.pos();
    }
    void step() {}
};

int sc_main(int, char**) { return 0; }

int main() {
    Probe probe("probe");
    sc_core::sc_start();
    return 0;
}
