// SPDX-License-Identifier: GPL-3.0-or-later
// The client's side of a connection, and Tomcat's admission of it (Tomcat 11.0.25, docs http.xml
// and NioEndpoint): backlog (accept-count), then the max-connections latch, then a thread. With an
// event loop Reactor Netty stands there, which limits none of these.
#include "models/mechanisms.hpp"

#include <algorithm>

namespace narrows::models {

namespace {

// Linux drops a SYN when the backlog is full. The client sends it again after 1 s, 2 s, 4 s …,
// tcp_syn_retries = 6 times, and gives up 127 s after the first (tcp(7)).
constexpr Duration kFirstSynRetry = std::chrono::seconds(1);
constexpr int kSyns = 7;
// maxKeepAliveRequests = 100 (http.xml): after that many the server closes the connection.
constexpr int kKeepAliveRequests = 100;
// A client whose connection the server closed at once is not back in no time. Guessed.
constexpr Duration kReconnect = std::chrono::milliseconds(1);

constexpr int kSynCounter = 0;
constexpr int kRequestCounter = 1;
constexpr int kConnectionStage = 0; ///< Builder makes "wait for a connection" the first

/// Writes the session. Labels are named after what is true there.
class Session {
public:
    Session(Builder& builder, int program, const std::vector<plan::Child>& requests)
        : builder_(builder), writer_(builder, program), load_(builder.scenario.load), requests_(requests),
          unconnected_(writer_.label()), dropped_(writer_.label()), late_(writer_.label()), failed_(writer_.label()),
          reconnect_(writer_.label()), given_up_(writer_.label()) {
        if (load_.thread_per == scenario::ThreadPer::request)
            connections_ = connection_pool(builder); // else nobody connects
    }

    void write() {
        const Label connected = writer_.label();
        writer_.bind(unconnected_);
        writer_.raw(simple(plan::Op::send));
        connect();
        writer_.bind(connected);
        exchange();
        if (load_.keep_alive)
            keep(connected);
        else
            close();
        unhappy(connected);
        writer_.store();
    }

private:
    static plan::Instruction simple(plan::Op op, plan::Outcome outcome = plan::Outcome::ok) {
        plan::Instruction i;
        i.op = op;
        i.outcome = outcome;
        return i;
    }

    void connect() {
        if (connections_ < 0) return connected();
        plan::Instruction i = simple(plan::Op::acquire);
        i.resource = connections_;
        i.stage = kConnectionStage;
        i.on_full = dropped_;
        if (load_.timeout) {
            i.timeout = load_.timeout->count();
            i.on_failure = given_up_;
        }
        writer_.raw(i);
        connected();
    }

    /// The server's side of a connection weighs something, if anything does.
    void connected() {
        const Footprint bytes = connection_footprint(builder_);
        if (bytes.bytes <= 0) return;
        plan::Instruction i = simple(plan::Op::allocate);
        i.bytes = bytes.bytes;
        i.live = bytes.live;
        writer_.raw(i);
    }

    void disconnected() {
        const Footprint bytes = connection_footprint(builder_);
        if (bytes.bytes <= 0) return;
        plan::Instruction i = simple(plan::Op::free);
        i.live = bytes.live;
        writer_.raw(i);
    }

    void disconnect() {
        disconnected();
        if (connections_ < 0) return;
        plan::Instruction i = simple(plan::Op::release);
        i.resource = connections_;
        writer_.raw(i);
    }

    void exchange() {
        // A load generator on the same machine (hey, k6, ab) computes before it sends and when the answer has come: all
        // of it is booked to before, within the latency that it prints.
        if (!load_.cpu.is_zero())
            writer_.work(builder_.app_cpu, load_.cpu, kClientStream, -1, {}, builder_.tier("load generator"));
        plan::Instruction fork = simple(plan::Op::fork);
        fork.choose = true;
        fork.children = requests_;
        fork.step = kEndpointStream;
        writer_.raw(fork);
        plan::Instruction join = simple(plan::Op::join);
        join.on_child_failure = failed_;
        if (load_.timeout) {
            join.timeout = load_.timeout->count();
            join.on_failure = late_;
            join.gives = connections_;
        }
        writer_.raw(join);
        writer_.raw(simple(plan::Op::answer));
    }

    void more(Label to) {
        plan::Instruction i = simple(plan::Op::branch);
        i.branch = plan::Branch::more;
        i.to = to;
        writer_.raw(i);
    }

    void count(int counter, int limit, Label to, const char* note = "") {
        plan::Instruction i = simple(plan::Op::branch);
        i.branch = plan::Branch::count;
        i.counter = counter;
        i.limit = limit;
        i.to = to;
        i.note = note;
        writer_.raw(i);
    }

    void think() {
        if (!load_.think.is_zero()) writer_.delay("think", load_.think, kThinkStream, -1, {});
    }

    /// After an answer on a connection that may be kept: it is held through the think time.
    void keep(Label connected) {
        const Label kept = writer_.label();
        const Label next = writer_.label();
        if (connections_ >= 0) {
            count(kRequestCounter, kKeepAliveRequests, kept, "keep-alive requests");
            close();
            writer_.bind(kept);
        }
        more(next);
        disconnect();
        writer_.raw(simple(plan::Op::end));
        writer_.bind(next);
        think();
        writer_.raw(simple(plan::Op::send));
        writer_.jump(connected);
    }

    /// Gives the connection up, and comes back with a new one if there is more to ask.
    void close() {
        disconnect();
        more(reconnect_);
        writer_.raw(simple(plan::Op::end));
    }

    void unhappy(Label connected) {
        // An answer that tells of a failure is a 500 or 503, after which Tomcat closes the connection
        // (Http11Processor.statusDropsConnection), as it does when no thread takes the request.
        writer_.bind(failed_);
        writer_.raw(simple(plan::Op::answer));
        forget_requests();
        if (may_be_refused()) {
            disconnect();
            writer_.delay("reconnect", Distribution::constant(kReconnect), kThinkStream, -1, {});
            more(reconnect_);
            writer_.raw(simple(plan::Op::end));
        } else {
            close();
        }
        if (load_.timeout) gives_up();
        if (connections_ >= 0) connect_again(connected);
        writer_.bind(reconnect_);
        think();
        writer_.jump(unconnected_);
    }

    /// The next connection's requests are counted from 0.
    void forget_requests() {
        if (connections_ >= 0 && load_.keep_alive) count(kRequestCounter, 1, failed_);
    }

    /// Whether a request can fail in no time: no thread takes it, or something on its way takes no more.
    bool may_be_refused() const {
        for (const plan::Child& request : requests_) {
            const auto& program = builder_.plan.programs[static_cast<std::size_t>(request.program)];
            if (builder_.plan.runners[static_cast<std::size_t>(program.runner)].queue_limit >= 0) return true;
        }
        const auto refuses = [](const plan::Instruction& i) { return i.on_full >= 0; };
        return std::any_of(builder_.plan.programs.begin(), builder_.plan.programs.end(), [&](const auto& program) {
            return std::any_of(program.code.begin(), program.code.end(), refuses);
        });
    }

    /// The client's time-out: it closes its end. The server's strand runs on, and the connection is
    /// the server's until that has ended (join's `gives`).
    void gives_up() {
        writer_.bind(late_);
        disconnected();
        if (connections_ >= 0 && load_.keep_alive) count(kRequestCounter, 1, late_);
        writer_.bind(given_up_);
        if (connections_ >= 0) count(kSynCounter, 1, given_up_);
        writer_.raw(simple(plan::Op::answer, plan::Outcome::client_timeout));
        more(reconnect_);
        writer_.raw(simple(plan::Op::end));
    }

    void connect_again(Label connected) {
        writer_.bind(dropped_);
        plan::Instruction pause = simple(plan::Op::delay);
        pause.what = "SYN retry";
        pause.amount = Distribution::constant(kFirstSynRetry);
        pause.factor = 2;
        pause.counter = kSynCounter;
        pause.stage = kConnectionStage;
        writer_.raw(pause);
        const Label again = writer_.label();
        count(kSynCounter, kSyns, again);
        writer_.raw(simple(plan::Op::answer, plan::Outcome::refused));
        more(reconnect_);
        writer_.raw(simple(plan::Op::end));
        writer_.bind(again);
        connect();
        count(kSynCounter, 1, again);
        writer_.jump(connected);
    }

    Builder& builder_;
    Writer writer_;
    const scenario::Load& load_;
    const std::vector<plan::Child>& requests_;
    int connections_ = -1;
    Label unconnected_, dropped_, late_, failed_, reconnect_, given_up_;
};

} // namespace

int connection_pool(Builder& builder) {
    const auto& application = builder.scenario.application;
    if (!builder.model.servlet() || application.tomcat_max_connections < 0) return -1;
    plan::Pool pool;
    pool.name = "tomcat.connections";
    pool.kind = plan::PoolKind::connections;
    // The acceptor accepts one more than maxConnections before the latch stops it.
    pool.capacity = application.tomcat_max_connections + 1;
    pool.queue_limit = application.tomcat_accept_count;
    return builder.pool(pool);
}

void session_program(Builder& builder, int program, const std::vector<plan::Child>& requests) {
    Session(builder, program, requests).write();
}

} // namespace narrows::models
