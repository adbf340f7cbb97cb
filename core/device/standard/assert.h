// assert has no header on any device.
#pragma once
