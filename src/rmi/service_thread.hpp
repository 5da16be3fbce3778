#pragma once

#include <atomic>
#include <thread>

#include "rmi/endpoint_context.hpp"
#include "rmi/inbox.hpp"

namespace armature::rmi {

/// The thread beside a rank that executes incoming calls while the rank computes. It shares the
/// rank's endpoint with it, one at a time, and its notifier: a request that comes wakes whichever
/// of the two sleeps.
class ServiceThread {
 public:
  ServiceThread(EndpointContext& context, const Inbox& inbox) : context_(context), inbox_(inbox) {}
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

  EndpointContext& context_;
  const Inbox& inbox_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace armature::rmi
