//===- Device.h - Device code in a host program -----------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_TEMPLATES_DEVICE_H
#define WEFT_TESTS_UNIT_TEMPLATES_DEVICE_H

#define __device__
#define __forceinline__ inline

#endif // WEFT_TESTS_UNIT_TEMPLATES_DEVICE_H
