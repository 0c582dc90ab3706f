// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.hpp"

#include <cmath>
#include <cstddef>

namespace narrows::plots::samples {

namespace {

const std::vector<double> kUsers{100, 250, 500, 1000, 2500, 5000, 10000};

std::vector<Point> points(const std::vector<double>& x, const std::vector<double>& y, double half_width) {
    std::vector<Point> result;
    for (std::size_t i = 0; i < x.size(); ++i)
        result.push_back({x[i], y[i], y[i] * (1 - half_width), y[i] * (1 + half_width), true});
    return result;
}

std::vector<Point> plain(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<Point> result;
    for (std::size_t i = 0; i < x.size(); ++i)
        result.push_back({x[i], y[i], {}, {}, true});
    return result;
}

} // namespace

Chart order_summary() {
    Chart chart;
    chart.title = "Order summary: virtual threads move the queue from Tomcat to HikariCP";
    chart.subtitle = "One row by primary key through a pool of 50 connections, then a 95.5 ms call; 200 platform "
                     "threads, 6 cores, JDK 25. Closed load, no think time.";
    chart.x_label = "concurrent users";
    chart.log_x = true;
    chart.footer = "order-summary 3f9a1c2 · seed 1 · 3 replications of 20 s · narrows 0.1.0";

    Panel throughput;
    throughput.title = "Throughput";
    throughput.y_label = "requests per second";
    throughput.lines = {{"platform threads", 0, points(kUsers, {1042, 2068, 2075, 2071, 2074, 2069, 2066}, 0.01)},
                        {"virtual threads", 1, points(kUsers, {1044, 2610, 5210, 10390, 13230, 13180, 12900}, 0.03)}};
    std::vector<Point> users_bound;
    for (double n : kUsers)
        users_bound.push_back({n, n / 0.0956, {}, {}, true});
    throughput.bounds = {{"200 threads / 95.9 ms", 0, plain(kUsers, std::vector<double>(7, 2085))},
                         {"6 cores / 0.35 ms", 1, plain(kUsers, std::vector<double>(7, 17140))},
                         {"users / 95.9 ms", 3, users_bound}};
    throughput.published = {{"printed (platform)", 0, plain({100, 2500}, {1050, 2200})},
                            {"printed (virtual)", 1, plain({500, 1000, 2500, 10000}, {5000, 10000, 13700, 10000})}};
    throughput.notes = {{200, "platform: queue moves to Tomcat's threads", 0},
                        {1280, "virtual: queue moves to the connection pool", 1}};

    Panel tail;
    tail.title = "p99 latency";
    tail.y_label = "milliseconds, log scale";
    tail.log_y = true;
    tail.lines = {{"platform threads", 0, points(kUsers, {98, 132, 268, 531, 1302, 2540, 5060}, 0.06)},
                  {"virtual threads", 1, points(kUsers, {98, 98, 99, 104, 221, 428, 905}, 0.1)}};
    tail.lines[0].points[6].supported = false;
    tail.published = {{"printed (platform)", 0, plain({2500, 10000}, {2800, 6500})},
                      {"printed (virtual)", 1, plain({2500, 10000}, {690, 3000})}};
    chart.panels = {throughput, tail};
    return chart;
}

Chart three_models() {
    Chart chart = order_summary();
    chart.title = "Three thread models on the weather service";
    chart.subtitle = "Two 250 ms calls in sequence on two processors.";
    chart.log_x = false;
    const std::vector<double> users{100, 200, 400, 600, 800, 1000};
    Panel throughput;
    throughput.title = "Throughput";
    throughput.y_label = "requests per second";
    throughput.lines = {{"platform threads", 0, points(users, {195, 371, 388, 381, 377, 374}, 0.04)},
                        {"virtual threads", 1, points(users, {196, 389, 541, 533, 520, 506}, 0.12)},
                        {"event loop", 2, points(users, {196, 392, 770, 861, 880, 883}, 0.08)}};
    throughput.bounds = {{"200 threads / 501 ms", 0, plain(users, std::vector<double>(6, 399))}};
    Panel tail;
    tail.title = "p99 latency";
    tail.y_label = "seconds";
    tail.lines = {{"platform threads", 0, points(users, {0.53, 0.61, 1.2, 1.8, 2.4, 2.94}, 0.03)},
                  {"virtual threads", 1, points(users, {0.53, 0.56, 0.95, 1.6, 2.3, 2.88}, 0.03)},
                  {"event loop", 2, points(users, {0.52, 0.53, 0.6, 0.8, 1.1, 1.35}, 0.03)}};
    chart.panels = {throughput, tail};
    return chart;
}

Chart pool_sweep() {
    Chart chart;
    chart.title = "Held connections: only the pool's size matters until the threads do";
    chart.subtitle = "The connection is held across a 100 ms call; 2,000 users.";
    chart.x_label = "spring.datasource.hikari.maximum-pool-size";
    chart.footer = "order-summary-held 77c0de1 · seed 1 · narrows 0.1.0";
    const std::vector<double> sizes{50, 100, 200, 400, 800};
    Panel throughput;
    throughput.title = "Throughput";
    throughput.y_label = "requests per second";
    throughput.lines = {{"platform threads", 0, points(sizes, {499, 997, 1991, 1993, 1993}, 0.01)},
                        {"virtual threads", 1, points(sizes, {499, 998, 1994, 3980, 7930}, 0.01)}};
    throughput.bounds = {{"200 threads / 100 ms", 0, plain(sizes, std::vector<double>(5, 1996))},
                         {"pool / 100 ms", 1, plain(sizes, {499.5, 999, 1998, 3996, 7992})}};
    throughput.published = {{"printed (platform)", 0, plain({50, 100, 200, 400, 800}, {495, 1000, 2100, 2100, 2100})},
                            {"printed (virtual)", 1, plain({50, 100, 400, 800}, {500, 1010, 4400, 8370})}};
    throughput.notes = {{200, "platform: the 200 threads are now the limit", 0}};
    Panel pending;
    pending.title = "Threads waiting for a connection";
    pending.y_label = "mean";
    pending.lines = {{"platform threads", 0, points(sizes, {150, 100, 0.4, 0, 0}, 0.02)},
                     {"virtual threads", 1, points(sizes, {1950, 1900, 1800, 1600, 1204}, 0.01)}};
    chart.panels = {throughput, pending};
    return chart;
}

Chart categories() {
    Chart chart;
    chart.title = "JEP 491: sixty monitors on two carriers";
    chart.categories = {"JDK 21", "JDK 23", "JDK 24", "JDK 25"};
    chart.x_label = "runtime";
    Panel panel;
    panel.title = "Makespan";
    panel.y_label = "seconds";
    panel.lines = {
        {"virtual threads",
         1,
         {{0, 7.5, 7.3, 7.7, true}, {1, 7.5, 7.4, 7.6, true}, {2, 0.25, {}, {}, true}, {3, 0.25, {}, {}, true}}}};
    panel.published = {{"printed", 1, {{0, 7.5, {}, {}, true}, {3, 0.251, {}, {}, true}}}};
    chart.panels = {panel};
    return chart;
}

} // namespace narrows::plots::samples
