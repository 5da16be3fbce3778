#pragma once

#include <atomic>
#include <thread>

#include "rmi/endpoint_context.hpp"
#include "rmi/inbox.hpp"
#include "rmi/left_calls.hpp"

namespace armature::rmi {

/// The thread beside a rank that executes incoming calls while the rank computes. It shares the
/// rank's endpoint with it, one at a time, and its notifier: a request that comes wakes whichever
/// of the two sleeps.
class ServiceThread {
 public:
  ServiceThread(EndpointContext& context, const Inbox& inbox, const LeftCalls& left)
      : context_(context), inbox_(inbox), left_(left) {}
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;
  ~ServiceThread() { end(); }

  /// Starts the thread where the settings ask for one.
  void start();
  /// The rank is alone again when this returns. The thread may not even have begun: what it reads
  /// of the rank's context when it does is not changed before.
  void end();

 private:
  void serve();
  [[nodiscard]] bool has_work();

  EndpointContext& context_;
  const Inbox& inbox_;
  const LeftCalls& left_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace armature::rmi
