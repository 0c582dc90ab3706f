// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan.hpp"

namespace narrows::plan {

const char* word(Outcome outcome) {
    switch (outcome) {
    case Outcome::ok: return "ok";
    case Outcome::pool_timeout: return "pool_timeout";
    case Outcome::refused: return "refused";
    case Outcome::client_timeout: return "client_timeout";
    case Outcome::call_timeout: return "call_timeout";
    case Outcome::rejected: return "rejected";
    case Outcome::circuit_open: return "circuit_open";
    }
    return "?";
}

const char* word(Op op) {
    switch (op) {
    case Op::work:
    case Op::guest_work: return "work";
    case Op::delay: return "delay";
    case Op::spin: return "spin";
    case Op::allocate: return "alloc";
    case Op::free: return "free";
    case Op::collect: return "collect";
    case Op::acquire: return "acquire";
    case Op::release: return "release";
    case Op::fork: return "fork";
    case Op::join: return "join";
    case Op::branch: return "branch";
    case Op::send: return "send";
    case Op::answer: return "answer";
    case Op::poll: return "poll";
    case Op::submit: return "submit";
    case Op::yield: return "yield";
    case Op::await: return "await";
    case Op::add: return "add";
    case Op::ask: return "ask";
    case Op::tell: return "tell";
    case Op::end: return "end";
    }
    return "?";
}

} // namespace narrows::plan
